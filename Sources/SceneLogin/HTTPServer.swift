import CMicroHTTPD
import Glibc
import LinuxIO
import SceneModel

/// libmicrohttpd on one listening socket, run from the loop.
///
/// From start to end it keeps itself alive, since libmicrohttpd calls it.
final class HTTPServer {
    private static let limits = cmicrohttpd_limits(connections: 512, timeout_seconds: 10, memory: 16 << 10)
    /// How long an answer may take to reach a browser after the server has closed.
    private static let lingerSeconds = 2
    /// So many runs in a row without anything to tell, and the next one has to wait a little. libmicrohttpd spins where
    /// the process has no descriptor left to accept with.
    private static let quietRunLimit = 64
    private static let restNanoseconds: Int64 = 50_000_000

    let endpoint: Endpoint
    /// The listening socket; libmicrohttpd's until this closes.
    let descriptor: Int32
    /// Answers an exchange, or leaves it to be held and answered later. It runs inside libmicrohttpd: whatever closes
    /// the server or answers another exchange has to be done `afterwards`.
    var onRequest: (Exchange) -> Void = { $0.answer(Response(.unknownAddress, .english)) }
    /// Whether no login of ours belongs to the uid; nil stands for an end without a living process.
    var isStranger: (UInt32?) -> Bool = { _ in true }

    private let loop: EventLoop
    private let owners: SocketOwners
    private var server: OpaquePointer?
    private var watch: Watch?
    private var timer: LoopTimer?
    private var linger: LoopTimer?
    private var exchanges: [ObjectIdentifier: Exchange] = [:]
    private var waiting = WaitingConnections<OpaquePointer>()
    private var isRunning = false
    private var isRunWanted = false
    private var deferred: [() -> Void] = []
    private var quietRuns = 0
    private var isClosing = false

    init(
        loop: EventLoop, owners: SocketOwners, endpoint: Endpoint, socket: consuming OwnedDescriptor
    ) throws(SystemError) {
        self.loop = loop
        self.owners = owners
        self.endpoint = endpoint
        descriptor = socket.raw
        let context = Unmanaged.passRetained(self)
        guard let server = cmicrohttpd_start(socket.raw, Self.limits, handlers, context.toOpaque()) else {
            let error = SystemError("MHD_start_daemon")
            context.release()
            throw error
        }
        _ = socket.release()
        self.server = server
        do throws(SystemError) {
            watch = try loop.watch(cmicrohttpd_epoll_descriptor(server), .readable) { [weak self] _ in self?.run() }
        } catch {
            stop()
            throw error
        }
        run()
    }

    /// The uid of a living process at the other end of an exchange.
    func uid(of exchange: Exchange) -> UInt32? {
        exchange.connection.flatMap { owners.uid(ofPeer: cmicrohttpd_socket($0)) }
    }

    /// Does `work` once libmicrohttpd is not on the stack any more.
    func afterwards(_ work: @escaping () -> Void) {
        deferred.append(work)
    }

    /// Answers an exchange that was left open. Does nothing if the browser is gone, or was answered.
    func answer(_ exchange: Exchange, _ response: Response) {
        exchange.answer(response)
        exchange.resume()
        run()
    }

    /// Closes the port at once. Answers that are on their way are finished first, for a short time.
    func close() {
        guard let server, !isClosing else { return }
        isClosing = true
        let socket = MHD_quiesce_daemon(server)
        if socket >= 0 {
            // The port closes even where another process holds the socket as well.
            shutDown(socket)
            Glibc.close(socket)
        }
        for connection in waiting.all { Self.end(connection) }
        for exchange in exchanges.values { exchange.resume() }
        linger = loop.schedule(at: EventLoop.now.boot.advanced(bySeconds: Self.lingerSeconds)) { [weak self] in
            self?.stop()
        }
        run()
    }

    // MARK: Running libmicrohttpd

    private func run() {
        guard !isRunning else {
            isRunWanted = true
            return
        }
        isRunning = true
        repeat {
            isRunWanted = false
            quietRuns += 1
            if let server { MHD_run(server) }
            let due = deferred
            deferred = []
            for work in due { work() }
        } while isRunWanted
        isRunning = false
        if isClosing && exchanges.isEmpty { return stop() }
        armTimer()
    }

    private func armTimer() {
        timer?.cancel()
        timer = nil
        guard let server else { return }
        if quietRuns > Self.quietRunLimit { return rest() }
        watch?.update(.readable)
        var milliseconds: UInt64 = 0
        guard MHD_get_timeout(server, &milliseconds) == .YES else { return }
        let delay = Int64(min(milliseconds, 3_600_000)) * 1_000_000
        timer = loop.schedule(at: EventLoop.now.boot.advanced(byNanoseconds: delay)) { [weak self] in self?.run() }
    }

    private func rest() {
        watch?.update([])
        timer = loop.schedule(at: EventLoop.now.boot.advanced(byNanoseconds: Self.restNanoseconds)) { [weak self] in
            guard let self else { return }
            quietRuns = 0
            run()
        }
    }

    private func stop() {
        guard let server else { return }
        isClosing = true
        for timer in [timer, linger] { timer?.cancel() }
        watch?.cancel()
        // libmicrohttpd aborts the process if it is stopped with a connection laid aside; a run takes them up again.
        for exchange in exchanges.values { exchange.resume() }
        isRunning = true
        MHD_run(server)
        MHD_stop_daemon(server)
        self.server = nil
        deferred = []
        Unmanaged.passUnretained(self).release()
    }

    // MARK: What libmicrohttpd reports

    fileprivate func connectionOpened(_ connection: OpaquePointer) {
        quietRuns = 0
        let isStranger = isStranger(owners.uid(ofPeer: cmicrohttpd_socket(connection)))
        if let leaving = waiting.opened(connection, isStranger: isStranger) { Self.end(leaving) }
    }

    fileprivate func connectionClosed(_ connection: OpaquePointer) {
        quietRuns = 0
        waiting.left(connection)
    }

    fileprivate func requestBegan(_ target: String, on connection: OpaquePointer) -> Exchange {
        quietRuns = 0
        let exchange = Exchange(target: target, connection: connection)
        exchanges[ObjectIdentifier(exchange)] = exchange
        return exchange
    }

    /// Called when the head is complete, for each piece of a form and for its end, and again when a held exchange has been
    /// taken up again.
    fileprivate func requestArrived(
        _ exchange: Exchange, method: String, piece: UnsafeRawBufferPointer, on connection: OpaquePointer
    ) -> MHD_Result {
        quietRuns = 0
        if !exchange.hasHead {
            exchange.readHead(method: method)
            if exchange.head.body == .form { return .YES }
        }
        if !exchange.isRouted {
            guard piece.isEmpty else {
                exchange.receive(piece)
                return .YES
            }
            waiting.left(connection)
            exchange.isRouted = true
            onRequest(exchange)
        }
        if exchange.response == nil && isClosing { exchange.answer(Response(.ended(exchange.messages))) }
        guard let response = exchange.response else {
            exchange.hold()
            return .YES
        }
        return response.queue(on: connection)
    }

    fileprivate func requestEnded(_ exchange: Exchange) {
        quietRuns = 0
        exchange.completed()
        exchanges[ObjectIdentifier(exchange)] = nil
    }

    /// libmicrohttpd then finds that the other side has hung up.
    private static func end(_ connection: OpaquePointer) {
        shutdown(cmicrohttpd_socket(connection), Int32(SHUT_RDWR))
    }
}

private func server(_ context: UnsafeMutableRawPointer) -> HTTPServer {
    Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
}

private let handlers = cmicrohttpd_handlers(
    request: { context, connection, _, method, _, upload, uploadSize, request in
        guard let context, let connection, let method, let request = request?.pointee else { return .NO }
        let exchange = Unmanaged<Exchange>.fromOpaque(request).takeUnretainedValue()
        let piece = UnsafeRawBufferPointer(start: upload, count: upload == nil ? 0 : uploadSize?.pointee ?? 0)
        uploadSize?.pointee = 0
        return server(context).requestArrived(
            exchange, method: String(cString: method), piece: piece, on: connection)
    },
    target: { context, target, connection in
        guard let context, let connection else { return nil }
        let text = target.map { String(cString: $0) } ?? ""
        return Unmanaged.passUnretained(server(context).requestBegan(text, on: connection)).toOpaque()
    },
    completed: { context, _, request, _ in
        guard let context, let exchange = request?.pointee else { return }
        server(context).requestEnded(Unmanaged<Exchange>.fromOpaque(exchange).takeUnretainedValue())
        request?.pointee = nil
    },
    connection: { context, connection, _, change in
        guard let context, let connection else { return }
        if change == .CONNECTION_NOTIFY_STARTED {
            server(context).connectionOpened(connection)
        } else {
            server(context).connectionClosed(connection)
        }
    })
