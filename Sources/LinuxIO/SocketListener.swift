import CLinux
import Glibc
import SceneModel

/// A Unix stream socket that accepts connections on the loop.
package final class SocketListener {
    /// What one turn accepts, at most.
    private static let batch = 64
    /// How long accepting pauses when descriptors or memory have run out.
    private static let pauseMilliseconds: Int64 = 100
    /// What the kernel keeps for a peer that does not read, in bytes; it takes twice that for its own needs (socket(7),
    /// SO_SNDBUF). By default it is 208 KiB, which ten thousand peers would make 2 GiB.
    private static let sendBuffer: Int32 = 32 << 10

    package var onConnection: (Connection) -> Void = { _ in }
    /// Connections are being refused because descriptors or memory have run out. At most ten times a second.
    package var onExhaustion: (SystemError) -> Void = { _ in }

    /// -1 once closed.
    package private(set) var descriptor: Int32
    private let loop: EventLoop
    private var binding: SocketBinding?
    private var watch: Watch?
    private var pause: LoopTimer?
    /// Given up for a moment to take and refuse a connection when no other descriptor is left.
    private var reserve: Int32 = -1

    /// Binds a socket of its own. `path`'s directory must exist; `mode` is the socket's from the start.
    package convenience init(loop: EventLoop, path: String, mode: UInt32 = 0o600) throws(SocketBindingError) {
        let binding = try SocketBinding(path: path, mode: mode)
        do {
            try self.init(loop: loop, binding: binding, listening: binding.takeSocket())
        } catch {
            binding.remove()
            throw .system(error, path: path)
        }
    }

    /// Takes over a listening Unix stream socket that someone else bound, and will not unlink it.
    package convenience init(loop: EventLoop, adopting descriptor: consuming OwnedDescriptor) throws(SystemError) {
        let raw = descriptor.raw
        guard Self.option(SO_DOMAIN, of: raw) == AF_UNIX, Self.option(SO_ACCEPTCONN, of: raw) == 1,
            Self.option(SO_TYPE, of: raw) == Int32(SOCK_STREAM.rawValue)
        else { throw SystemError(code: EINVAL, call: "adopt listening socket") }
        guard fcntl(raw, F_SETFL, fcntl(raw, F_GETFL) | O_NONBLOCK) == 0, fcntl(raw, F_SETFD, FD_CLOEXEC) == 0 else {
            throw SystemError("fcntl")
        }
        try self.init(loop: loop, binding: nil, listening: descriptor)
    }

    private init(
        loop: EventLoop, binding: SocketBinding?, listening descriptor: consuming OwnedDescriptor
    ) throws(SystemError) {
        self.loop = loop
        self.binding = binding
        self.descriptor = -1
        // Closing a descriptor that a peer passed may block; where the kernel can, it is not let in.
        _ = clinux_refuse_passed_descriptors(descriptor.raw)
        watch = try loop.watch(descriptor.raw, .readable) { [self] _ in accept() }
        self.descriptor = descriptor.release()
        openReserve()
    }

    deinit {
        if descriptor >= 0 { Glibc.close(descriptor) }
        if reserve >= 0 { Glibc.close(reserve) }
    }

    /// Stops accepting, and unlinks the socket if this listener bound it. Connections stay.
    package func close() {
        guard descriptor >= 0 else { return }
        binding?.remove()
        binding = nil
        watch?.cancel()
        watch = nil
        pause?.cancel()
        pause = nil
        Glibc.close(descriptor)
        descriptor = -1
        if reserve >= 0 { Glibc.close(reserve) }
        reserve = -1
        onConnection = { _ in }
        onExhaustion = { _ in }
    }

    private static func option(_ name: Int32, of socket: Int32) -> Int32 {
        var value: Int32 = -1
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(socket, SOL_SOCKET, name, &value, &length) == 0 ? value : -1
    }
}

// MARK: Accepting

extension SocketListener {
    private func accept() {
        for _ in 0..<Self.batch where descriptor >= 0 {
            let raw = clinux_accept(descriptor)
            if raw >= 0 {
                guard admit(OwnedDescriptor(raw)) else { return }
            } else if errno == EAGAIN {
                return
            } else if errno != EINTR, errno != ECONNABORTED {
                return recover(from: SystemError("accept4"))
            }
        }
    }

    /// A socket whose peer cannot be told, or that cannot be watched, is closed.
    private func admit(_ socket: consuming OwnedDescriptor) -> Bool {
        var size = Self.sendBuffer
        setsockopt(socket.raw, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        do {
            onConnection(try Connection(loop: loop, accepted: socket))
            return true
        } catch {
            recover(from: error)
            return false
        }
    }

    /// Refuses those who wait, so that they do not hang, and leaves the loop to others for a while.
    private func recover(from error: SystemError) {
        if error.code == EMFILE || error.code == ENFILE { refuseWaiting() }
        watch?.update([])
        pause = loop.schedule(at: EventLoop.now.boot.advanced(byNanoseconds: Self.pauseMilliseconds * 1_000_000)) {
            [self] in
            pause = nil
            openReserve()
            watch?.update(.readable)
        }
        onExhaustion(error)
    }

    private func refuseWaiting() {
        for _ in 0..<Self.batch {
            guard reserve >= 0 else { return }
            Glibc.close(reserve)
            reserve = clinux_accept(descriptor)
            guard reserve >= 0 else { return openReserve() }
            Glibc.close(reserve)
            reserve = -1
            openReserve()
        }
    }

    private func openReserve() {
        guard reserve < 0 else { return }
        reserve = open("/dev/null", O_RDONLY | O_CLOEXEC)
    }
}
