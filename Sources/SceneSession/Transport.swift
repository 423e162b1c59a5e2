import Glibc
import LinuxIO
import SceneModel
import SceneProtocol
import Varlink

/// The library's own thread with its connections to scened; the caller's threads never wait for a socket.
actor Transport {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// How long a call looks for a scened that is not there.
    static let patience = 30
    /// Connections that are kept for the next call.
    private static let idleLimit = 4

    private var idle: [Channel] = []

    private static let started = Result { try Transport() }

    static func shared() throws(SceneError) -> Transport {
        do {
            return try started.get()
        } catch {
            throw .unexpected("\(error)")
        }
    }

    private init() throws {
        loop = try EventLoop()
        var thread = pthread_t()
        let running = Unmanaged.passRetained(loop)
        // The program's signals are none of this thread's.
        var all = sigset_t()
        var former = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &former)
        let status = pthread_create(&thread, nil, { argument in
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

    static var socketPath: String {
        let named = SceneSession.settings.withLock(\.socket)
        return SessionSocket.path(
            named: named, environment: SceneSession.environment("SCENED_SOCKET", "XDG_RUNTIME_DIR"),
            exists: { access($0, F_OK) == 0 })
    }

    // MARK: Channels

    /// Connects anew; nil where nobody listens now.
    func connect() -> Channel? {
        guard let socket = try? BlockingSocket.connect(path: Self.socketPath, timeoutMilliseconds: 1),
            let connection = try? Connection(loop: loop, adopting: socket)
        else { return nil }
        let channel = Channel(connection)
        connection.onReceive = { channel.received($0) }
        connection.onInputEnded = { connection.close() }
        connection.onClosed = {
            self.idle.removeAll { $0 === channel }
            channel.lost()
        }
        return channel
    }

    private func channel(fresh: Bool) -> Channel? {
        while !fresh, let channel = idle.popLast() {
            if channel.connection.isOpen { return channel }
        }
        return connect()
    }

    private func release(_ channel: Channel) {
        if channel.connection.isOpen, idle.count < Self.idleLimit {
            idle.append(channel)
        } else {
            channel.connection.close()
        }
    }

    func sleep(milliseconds: Int) async {
        let deadline = EventLoop.now.boot.advanced(byNanoseconds: Int64(milliseconds) * 1_000_000)
        await withCheckedContinuation { continuation in
            loop.schedule(at: deadline) { continuation.resume() }
        }
    }

    // MARK: Calls

    /// Makes a call, and makes it again where the connection was lost and `isRepeatable` allows it.
    ///
    /// `ready` is waited for before each attempt: the scene that the call names has to be connected.
    func call<Method: WireMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters, more: Bool = false, isRepeatable: Bool = true,
        ready: () async throws(SceneError) -> Void = {},
        progress: (Method.Reply) -> Void = { _ in }
    ) async throws(SceneError) -> Method.Reply where Method.Parameters: Sendable, Method.Reply: Sendable {
        var backoff = Backoff()
        while true {
            try await ready()
            if Task.isCancelled { throw .cancelled }
            if let channel = channel(fresh: !isRepeatable) {
                do throws(SceneError) {
                    return try await exchange(method, parameters, more: more, on: channel, progress: progress)
                } catch .connectionLost where isRepeatable {
                    backoff.connected()
                }
            }
            guard let pause = backoff.next() else { throw .notRunning(socket: Self.socketPath) }
            await sleep(milliseconds: pause)
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
            case .success(.reply(let parameters, let continues)):
                guard let reply = try? Method.Reply(lenient: parameters) else {
                    channel.connection.close()
                    throw .unexpected("a reply of \(Method.name)")
                }
                if continues {
                    progress(reply)
                } else {
                    release(channel)
                    return reply
                }
            }
        }
    }
}

/// Waits that grow, with jitter, so that many clients do not come back in one instant. In milliseconds.
struct Backoff {
    private var attempts = 0
    private var waited = 0

    /// Nil once patience is at its end.
    mutating func next(patience: Int? = Transport.patience) -> Int? {
        if let patience, waited >= patience * 1000 { return nil }
        let ceiling = min(2000, 20 << min(attempts, 8))
        let pause = Int.random(in: ceiling / 2...ceiling)
        attempts += 1
        waited += pause
        return pause
    }

    mutating func connected() {
        waited = 0
    }
}
