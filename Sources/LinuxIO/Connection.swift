import CLinux
import Glibc
import SceneModel

/// One end of a connected stream socket, on the loop. The loop keeps it until it is closed.
///
/// The peer may end its own direction and still get answers; the connection ends when the peer has closed both.
package final class Connection {
    package let peer: Peer
    /// Lends the bytes for the time of the call.
    package var onReceive: (UnsafeRawBufferPointer) -> Void = { _ in }
    /// All that had to be kept is written. Not called for what could be written at once.
    package var onDrained: () -> Void = {}
    /// The peer sends no more, but may still read.
    package var onInputEnded: () -> Void = {}
    /// Called once, at the end of a turn, however the connection ended; then all callbacks are let go.
    package var onClosed: () -> Void = {}

    /// Another process holds the socket as well, so closing our end alone would not end the connection.
    package var isHeldElsewhere = false

    /// Counts what is kept until the peer reads. A connection for which it has no room is closed, at the end of a turn.
    package var meter: ByteMeter?

    /// -1 once closed.
    package var descriptor: Int32 { socket }

    // Private: accesses to what no other file can see need no check at run time.
    private var socket: Int32
    private let loop: EventLoop
    private var watch: Watch?
    /// What the socket did not take; nil where it took all.
    private var output: OutputQueue?
    /// Something was offered that did not fit.
    private var awaitsRoom = false
    private var isReading = true
    package var inputEnded: Bool { hasInputEnded }
    private var hasInputEnded = false
    /// The peer takes no more; what it sent before is still handed over.
    private var outputFailed = false
    private var closesWhenSent = false
    private var patience: LoopTimer?

    /// Takes over a connected stream socket; closes it even when it throws.
    package convenience init(loop: EventLoop, adopting descriptor: consuming OwnedDescriptor) throws(SystemError) {
        let raw = descriptor.raw
        guard fcntl(raw, F_SETFL, fcntl(raw, F_GETFL) | O_NONBLOCK) == 0, fcntl(raw, F_SETFD, FD_CLOEXEC) == 0 else {
            throw SystemError("fcntl")
        }
        try self.init(loop: loop, accepted: descriptor)
    }

    /// Takes over a socket that is non-blocking and close-on-exec already.
    init(loop: EventLoop, accepted descriptor: consuming OwnedDescriptor) throws(SystemError) {
        peer = try Peer(socket: descriptor.raw)
        self.loop = loop
        socket = -1
        watch = try loop.watch(descriptor.raw, .readable) { [self] in ready($0) }
        socket = descriptor.release()
    }

    deinit {
        if socket >= 0 {
            peer.detach()
            Glibc.close(socket)
        }
    }

    package var isOpen: Bool { socket >= 0 }

    /// No other socket has had it since boot (SO_COOKIE); it stays when the descriptor is handed on. Nil once closed.
    package var id: UInt64? {
        var cookie: UInt64 = 0
        return clinux_socket_cookie(socket, &cookie) == 0 ? cookie : nil
    }

    /// Bytes that wait for the peer to read.
    package var unsentBytes: Int { output?.count ?? 0 }

    /// The peer has not read what it was sent: nothing is taken that is offered, until `onDrained`.
    package var isFull: Bool { output != nil || awaitsRoom }

    /// Writes at once what the socket takes, and keeps the rest. Calls nothing back.
    package func send(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { send($0) { bytes } }
    }

    /// Only what has to be kept is copied.
    package func send(_ secret: Secret) {
        secret.withBytes { bytes in send(bytes) { [UInt8](bytes) } }
    }

    private func send(_ bytes: UnsafeRawBufferPointer, kept: () -> [UInt8]) {
        guard isOpen, !closesWhenSent, !outputFailed, !bytes.isEmpty else { return }
        if output != nil { return keep(kept(), from: 0) }
        let sent = OutputQueue.send(bytes, to: socket)
        if sent == bytes.count { return }
        guard sent >= 0 || errno == EAGAIN else { return failOutput() }
        keep(kept(), from: max(sent, 0))
        updateInterest()
    }

    private func keep(_ bytes: [UInt8], from offset: Int) {
        let queue = output ?? OutputQueue(meter: meter)
        guard queue.append(bytes, from: offset) else { return giveUp() }
        output = queue
    }

    /// Writes at once what the socket takes, if it takes any; then the rest is kept. False: it took nothing and nothing is
    /// kept; `onDrained` tells when there is room.
    package func offer(_ bytes: [UInt8]) -> Bool {
        guard isOpen, !closesWhenSent, !outputFailed, !isFull else { return false }
        let sent = OutputQueue.send(bytes, from: 0, to: socket)
        if sent == bytes.count { return true }
        if sent > 0 {
            keep(bytes, from: sent)
        } else if errno == EAGAIN {
            awaitsRoom = true
        } else {
            failOutput()
        }
        updateInterest()
        return sent > 0
    }

    /// A paused connection ends at once when the peer closes it.
    package func pauseReading() {
        isReading = false
        updateInterest()
    }

    package func resumeReading() {
        isReading = true
        updateInterest()
    }

    package func close() {
        guard isOpen else { return }
        if isHeldElsewhere { watch?.cancel() } else { watch?.cancelClosing() }
        watch = nil
        patience?.cancel()
        patience = nil
        output = nil
        peer.detach()
        if isHeldElsewhere { shutDown(socket) }
        Glibc.close(socket)
        socket = -1
        loop.atEndOfTurn { [self] in
            onClosed()
            (onReceive, onDrained, onInputEnded, onClosed) = ({ _ in }, {}, {}, {})
        }
    }

    /// Closes once the peer has taken all, or after 30 seconds. Nothing more is received or sent.
    package func closeWhenSent() {
        guard isOpen, !closesWhenSent else { return }
        guard output != nil else { return close() }
        closesWhenSent = true
        patience = loop.schedule(at: EventLoop.now.boot.advanced(bySeconds: 30)) { [self] in close() }
        updateInterest()
    }
}

// MARK: Readiness

extension Connection {
    /// What one turn writes to one connection, at most.
    private static let share = 256 << 10

    private var receives: Bool { isReading && !hasInputEnded && !closesWhenSent }

    private func updateInterest() {
        var interest: Readiness = receives ? .readable : []
        if isFull { interest.insert(.writable) }
        watch?.update(interest)
    }

    private func ready(_ readiness: Readiness) {
        let hungUp = readiness.contains(.hangup)
        if readiness.contains(.writable) { flush() }
        if hungUp {
            receiveRest()
            close()
        } else if readiness.contains(.readable), isOpen, receives {
            _ = receive()
            // Still open: the peer reads on.
            if hasInputEnded { updateInterest() }
        }
    }

    private func flush() {
        guard let output else {
            guard awaitsRoom else { return }
            awaitsRoom = false
            updateInterest()
            return onDrained()
        }
        guard output.write(to: socket, limit: Self.share) else { return failOutput() }
        guard output.isEmpty else { return }
        self.output = nil
        awaitsRoom = false
        updateInterest()
        if closesWhenSent { close() } else { onDrained() }
    }

    /// Hands over what has arrived. False: nothing, or nothing more.
    private func receive() -> Bool {
        let buffer = loop.receiveBuffer
        // Without a control buffer the kernel lets go of descriptors that came along (unix(7), SCM_RIGHTS).
        let count = retryingInterrupted { clinux_receive(socket, buffer.baseAddress, buffer.count) }
        if count > 0 {
            onReceive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            return true
        }
        if count < 0, errno == EAGAIN { return false }
        guard count == 0 else {
            close()
            return false
        }
        hasInputEnded = true
        onInputEnded()
        return false
    }

    /// The peer is gone; what it sent before is no more than a socket's buffer holds.
    private func receiveRest() {
        while isOpen, receives, receive() {}
    }

    private func failOutput() {
        output = nil
        outputFailed = true
        loop.atEndOfTurn { [self] in
            // Else who only stopped reading could send for ever.
            if isOpen { shutdown(socket, Int32(SHUT_RD)) }
            receiveRest()
            close()
        }
    }

    /// The peer leaves more unread than is kept for it.
    private func giveUp() {
        output = nil
        outputFailed = true
        loop.atEndOfTurn { [self] in close() }
    }
}
