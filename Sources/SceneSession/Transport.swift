import Glibc
import LinuxIO
import SceneModel
import SceneProtocol
import Varlink

/// The library's own thread with its connections to scened; the caller's threads never wait for a socket.
actor Transport {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Connections that are kept for the next call.
    private static let idleLimit = 4

    /// Where scened listens; nil: where `SceneSession` has it.
    private let socket: String?
    /// For how many seconds a call looks for a scened that is not there.
    private let patience: Int
    private var idle: [Channel] = []
    private var scenes: [WeakFeed] = []

    private static let started = Result { try Transport() }

    /// The one of the process.
    static func shared() throws(SceneError) -> Transport {
        do {
            return try started.get()
        } catch {
            throw .unexpected("\(error)")
        }
    }

    init(socket: String? = nil, patience: Int = 30) throws {
        self.socket = socket
        self.patience = patience
        loop = try EventLoop()
        try Self.startThread(running: loop)
    }

    deinit { loop.stop() }

    /// A detached thread, which lasts until the loop is stopped.
    private static func startThread(running loop: EventLoop) throws(SystemError) {
        var thread = pthread_t()
        let running = Unmanaged.passRetained(loop)
        // The program's signals are none of this thread's.
        var all = sigset_t()
        var former = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &former)
        let status = pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<EventLoop>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, running.toOpaque())
        pthread_sigmask(SIG_SETMASK, &former, nil)
        guard status == 0 else {
            running.release()
            throw SystemError(code: status, call: "pthread_create")
        }
        pthread_detach(thread)
    }

    nonisolated var socketPath: String { socket ?? SceneSession.socketPath }

    /// Until when a call looks for scened that begins to miss it now.
    var deadline: Instant { EventLoop.now.boot.advanced(bySeconds: patience) }

    // MARK: Scenes

    private struct WeakFeed {
        weak var feed: SceneFeed?
    }

    /// Where this process is that scene already, the new one takes its place, here as at scened.
    func claim(_ id: String, for feed: SceneFeed) {
        let live = scenes.compactMap(\.feed).filter { !$0.isClosed && $0 !== feed }
        for other in live where other.id == id && other.app == feed.app { other.onReplaced() }
        scenes = (live + [feed]).map { WeakFeed(feed: $0) }
    }

    // MARK: Channels

    /// Connects anew; nil where nobody listens now.
    func connect() -> Channel? {
        guard let socket = try? BlockingSocket.connect(path: socketPath, timeoutMilliseconds: 1),
            let connection = try? Connection(loop: loop, adopting: socket)
        else { return nil }
        let channel = Channel(connection)
        connection.onReceive = { channel.received($0) }
        connection.onInputEnded = { connection.close() }
        connection.onClosed = { [weak self] in
            self?.assumeIsolated { $0.idle.removeAll { $0 === channel } }
            channel.lost()
        }
        return channel
    }

    private func channel(fresh: Bool) -> Channel? {
        while !fresh, let channel = idle.popLast() {
            if channel.isReusable { return channel }
            channel.connection.close()
        }
        return connect()
    }

    private func release(_ channel: Channel) {
        if channel.isReusable, idle.count < Self.idleLimit {
            idle.append(channel)
        } else {
            channel.connection.close()
        }
    }

    // MARK: Calls

    /// Makes a call, and makes it again where the connection was lost and `isRepeatable` allows it.
    ///
    /// `ready` is waited for before each attempt, until the given time: the scene that the call names has to be connected.
    /// The parameters are looked at for each attempt anew, as what they say of time may have changed.
    func call<Method: WireMethod>(
        _ method: Method.Type, _ parameters: @autoclosure () throws(SceneError) -> Method.Parameters,
        more: Bool = false,
        isRepeatable: Bool = true,
        ready: (Instant) async throws(SceneError) -> Void = { _ in },
        progress: (Method.Reply) -> Void = { _ in }
    ) async throws(SceneError) -> Method.Reply where Method.Parameters: Sendable, Method.Reply: Sendable {
        var backoff = Backoff()
        var deadline = deadline
        while true {
            try await ready(deadline)
            let parameters = try parameters()
            if Task.isCancelled { throw .cancelled }
            let start = EventLoop.now.boot
            var trouble = SceneError.notRunning(socket: socketPath)
            if let channel = channel(fresh: !isRepeatable) {
                do throws(SceneError) {
                    return try await exchange(method, parameters, more: more, on: channel, progress: progress)
                } catch .connectionLost where isRepeatable {
                    trouble = .connectionLost
                }
            }
            if EventLoop.now.boot.seconds(since: start) >= Backoff.goodSeconds {
                backoff.reset()
                deadline = self.deadline
            }
            guard EventLoop.now.boot < deadline else { throw trouble }
            let pause = EventLoop.now.boot.advanced(byMilliseconds: backoff.next())
            if case .cancelled = await Waiters<Never>().wait(on: loop, until: pause) { throw .cancelled }
        }
    }

    private func exchange<Method: WireMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters, more: Bool, on channel: Channel,
        progress: (Method.Reply) -> Void
    ) async throws(SceneError) -> Method.Reply where Method.Parameters: Sendable, Method.Reply: Sendable {
        channel.connection.send(VarlinkMessage.call(method, parameters, more: more))
        while true {
            let answer = await channel.next(on: self)
            switch answer {
            case .failure(let error):
                channel.connection.close()
                throw error
            case .success(.error(let name, let parameters)):
                release(channel)
                guard let failure = Failure(errorName: name, parameters: parameters) else { throw .unexpected(name) }
                throw .failure(failure)
            case .success(.reply(let parameters, continues: true)):
                // How a call stands may be told in ways that this library does not know yet.
                if let reply = try? Method.Reply(lenient: parameters) { progress(reply) }
            case .success(.reply(let parameters, continues: false)):
                guard let reply = try? Method.Reply(lenient: parameters) else {
                    channel.connection.close()
                    throw .unexpected("a reply of \(Method.name)")
                }
                release(channel)
                return reply
            }
        }
    }
}

extension Instant {
    func advanced(byMilliseconds milliseconds: Int) -> Instant {
        advanced(byNanoseconds: Int64(milliseconds) * 1_000_000)
    }
}
