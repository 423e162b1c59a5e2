import Glibc
import LinuxIO
import SceneModel
import Testing

@testable import SceneOAuth

/// An actor on a loop of its own, as the daemon has it, with a client in it.
actor LoopHost {
    nonisolated let loop: EventLoop
    private let certificateFile: String?
    /// What the login host client's clock is ahead of the machine's, seconds.
    private let lead = Lead()
    private var http: HTTPClient?
    private var hosts: LoginHostClient?

    init(_ loop: EventLoop, certificateFile: String?) {
        self.loop = loop
        self.certificateFile = certificateFile
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private var client: HTTPClient {
        let client = http ?? HTTPClient(loop: loop, certificateFile: certificateFile)
        http = client
        return client
    }

    private var loginHosts: LoginHostClient {
        let lead = lead
        let hosts =
            hosts
            ?? LoginHostClient(
                http: client,
                clock: {
                    let now = EventLoop.now
                    return Moment(boot: now.boot.advanced(bySeconds: lead.seconds), wall: now.wall + lead.seconds)
                })
        self.hosts = hosts
        return hosts
    }

    func advance(seconds: Int) { lead.seconds += seconds }

    /// Starts a request and returns; the client is not kept by it.
    func start(_ request: HTTPRequest, _ done: @escaping @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void) {
        _ = client.start(request) { done($0) }
    }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse { try await client.send(request) }
    var transfers: Int { client.count }

    func authorize(_ host: String, _ app: Client = Client(clientID: "scene"), force: Bool = false) async throws
        -> PendingAuthorization
    {
        try await loginHosts.authorize(
            host: host, client: app, redirectURI: "http://127.0.0.1:8765/callback", loginHint: nil, force: force)
    }

    func redeem(_ query: String, _ pending: PendingAuthorization, _ app: Client = Client(clientID: "scene"))
        async throws
        -> (Tokens, Identity)
    {
        try await loginHosts.redeem(#require(CallbackParameters(query: query)), of: pending, client: app)
    }

    func authorizeDevice(
        _ host: String, _ app: Client = Client(clientID: "scene"), loginHint: String? = nil, force: Bool = false
    ) async throws -> DeviceAuthorization {
        try await loginHosts.authorizeDevice(host: host, client: app, loginHint: loginHint, force: force)
    }

    func redeem(_ device: DeviceAuthorization, _ app: Client = Client(clientID: "scene")) async throws -> DeviceTokens {
        try await loginHosts.redeem(device, client: app)
    }

    func refresh(
        _ host: String, _ app: Client = Client(clientID: "scene"), issuer: String? = nil, subject: String = "alice",
        token: String = "refresh-token-1"
    )
        async throws -> (Tokens, Identity?)
    {
        try await loginHosts.refresh(
            host: host, client: app, refreshToken: Secret(token), scope: nil,
            issuer: issuer ?? host, subject: subject)
    }

    func revoke(_ host: String, _ app: Client = Client(clientID: "scene"), refresh: String?, access: String?)
        async throws -> Revocation
    {
        try await loginHosts.revoke(
            host: host, client: app, refreshToken: refresh.map { Secret($0) }, accessToken: access.map { Secret($0) })
    }

    /// `knowing`: with the host's metadata at hand.
    func endSession(
        _ host: String, _ app: Client = Client(clientID: "scene"), idToken: String?, returnsTo: String? = nil,
        knowing: Bool = true
    ) async throws -> String? {
        if knowing { try await loginHosts.learn(host) }
        return loginHosts.endSessionUri(
            host: host, idToken: idToken.map { Secret($0) }, client: app, postLogoutRedirectURI: returnsTo)
    }

    /// Destroys the client, with whatever is under way.
    func destroy() {
        hosts = nil
        http = nil
    }
}

/// Runs `body` with a loop on a thread of its own, which has ended when this returns.
@discardableResult
func withLoopHost<Value: Sendable>(
    certificateFile: String? = nil, _ body: @Sendable (LoopHost) async throws -> Value
) async throws -> Value {
    let loop = try EventLoop()
    let ended = Ended()
    startThread {
        loop.run()
        ended.signal()
    }
    let host = LoopHost(loop, certificateFile: certificateFile)
    let result: Result<Value, any Error>
    do { result = .success(try await body(host)) } catch { result = .failure(error) }
    await host.destroy()
    loop.stop()
    await ended.wait()
    return try result.get()
}

/// Only the loop's thread touches it.
private final class Lead: @unchecked Sendable { var seconds = 0 }

func startThread(_ body: @escaping @Sendable () -> Void) {
    final class Box {
        let body: @Sendable () -> Void; init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let box = Unmanaged.passRetained(Box(body)).toOpaque()
    pthread_create(
        &thread, nil,
        { context in
            if let context { Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body() }
            return nil
        }, box)
    pthread_detach(thread)
}

/// Waits for something that happens on another thread.
final class Ended: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func signal() { continuation.yield() }

    func wait() async {
        for await _ in stream { return }
    }
}
