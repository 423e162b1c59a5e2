import Glibc
import LinuxIO
import SceneProtocol
import Varlink

/// One answer: as values, and as scened wrote it.
struct Answer<Reply: WireRecord> {
    var reply: Reply
    var json: JSONElement
    /// Whether more answers follow.
    var continues: Bool
}

/// A connection to scened that waits for its answers, never longer than it is told to.
final class DaemonConnection {
    enum Arrival {
        case answer(VarlinkAnswer)
        /// One of the other descriptors has something to tell.
        case other
        case deadline
    }

    /// For a call that asks no user: a daemon that takes longer is stuck.
    static let patience = Duration.seconds(30)

    let socket: SocketPath
    private let refusal: Refusal
    private let interrupt: Interrupt?
    private let patience: Duration
    private let descriptor: OwnedDescriptor
    private var client = ClientConnection()

    init(
        to socket: SocketPath, refusal: Refusal, interrupt: Interrupt? = nil, patience: Duration = patience
    ) throws(CommandFailure) {
        self.patience = patience
        self.socket = socket
        self.refusal = refusal
        self.interrupt = interrupt
        do {
            descriptor = try BlockingSocket.connect(path: socket.path)
        } catch {
            throw socket.failure(error)
        }
    }

    /// Sends a call and waits for its one answer.
    func call<Method: WireMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters
    ) throws(CommandFailure) -> Answer<Method.Reply> {
        try send(method, parameters)
        return try next(of: method, until: .now + patience)
    }

    func send<Method: WireMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters, more: Bool = false
    ) throws(CommandFailure) {
        do {
            try BlockingSocket.send(
                VarlinkMessage.call(method, parameters, more: more), to: descriptor.raw,
                timeoutMilliseconds: Int(patience / .milliseconds(1)))
        } catch {
            // What scened answered before it closed, if anything, says more than the broken pipe.
            if error.code == ETIMEDOUT { throw socket.stuck }
        }
    }

    /// The next answer of a call that was sent.
    func next<Method: WireMethod>(
        of method: Method.Type, until deadline: ContinuousClock.Instant?
    ) throws(CommandFailure) -> Answer<Method.Reply> {
        guard case .answer(let answer) = try next(until: deadline) else { throw socket.stuck }
        return try read(answer, of: method)
    }

    /// What comes first of: an answer, one of the other descriptors, the deadline. Ctrl-C throws.
    func next(
        until deadline: ContinuousClock.Instant?, watching others: [pollfd] = []
    ) throws(CommandFailure) -> Arrival {
        while true {
            do {
                if let answer = try client.next() { return .answer(answer) }
            } catch {
                throw socket.garbled
            }
            guard let ready = try wait(until: deadline, watching: others) else { return .deadline }
            if ready { try receive() } else { return .other }
        }
    }

    func read<Method: WireMethod>(
        _ answer: VarlinkAnswer, of method: Method.Type
    ) throws(CommandFailure) -> Answer<Method.Reply> {
        switch answer {
        case .error(let name, let parameters):
            throw refusal.failure(errorName: name, parameters: parameters)
        case .reply(let parameters, let continues):
            do {
                let json = try parameters ?? JSONElement.parse("{}")
                return Answer(reply: try Method.Reply(lenient: json), json: json, continues: continues)
            } catch {
                throw socket.garbled
            }
        }
    }

    /// Whether scened's socket is ready, in place of another descriptor; nil after the deadline.
    private func wait(
        until deadline: ContinuousClock.Instant?, watching others: [pollfd]
    ) throws(CommandFailure) -> Bool? {
        var polls = [pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0)]
        polls.append(pollfd(fd: interrupt?.descriptor ?? -1, events: Int16(POLLIN), revents: 0))
        polls += others
        while true {
            let count = poll(&polls, nfds_t(polls.count), deadline.map(Self.milliseconds) ?? -1)
            if count < 0, errno != EINTR {
                throw CommandFailure(.failure, "poll: \(String(cString: strerror(errno)))")
            }
            if count > 0 {
                if polls[1].revents != 0 { throw .interrupted }
                return polls[0].revents != 0
            }
            if let deadline, deadline <= .now { return nil }
        }
    }

    /// At most a minute at a time, so that no distance overflows.
    private static func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
        let (seconds, attoseconds) = (deadline - .now).components
        if seconds < 0 || attoseconds < 0 { return 0 }
        return seconds >= 60 ? 60_000 : Int32(seconds * 1000 + attoseconds / 1_000_000_000_000_000) + 1
    }

    private func receive() throws(CommandFailure) {
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        let count = chunk.withUnsafeMutableBytes { buffer in
            (try? BlockingSocket.receive(from: descriptor.raw, into: buffer, timeoutMilliseconds: 0)) ?? 0
        }
        guard count > 0 else { throw socket.closed }
        chunk.withUnsafeBytes { client.received(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
}
