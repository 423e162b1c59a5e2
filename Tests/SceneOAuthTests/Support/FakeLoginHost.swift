import SceneModel
import Synchronization

@testable import SceneOAuth

/// A login host on loopback whose every answer a test can change.
final class FakeLoginHost: Sendable {
    typealias Route = @Sendable (SeenRequest) -> ScriptedAnswer

    let server: ScriptedServer
    private let routes: Mutex<[String: Route]>

    static let discovery = "/.well-known/openid-configuration"
    static let authorizationServer = "/.well-known/oauth-authorization-server"

    init() throws {
        let table = RouteTable()
        server = try ScriptedServer { request in
            let path = request.path.split(separator: "?").first.map(String.init) ?? "/"
            return table.find(path)?(request) ?? .answer(404, [:], "<html>not found</html>")
        }
        routes = Mutex([:])
        table.host = WeakHost(self)
        let metadata = JSONValue.text(of: metadata)
        on(Self.discovery) { _ in .json(metadata) }
        on("/jwks") { _ in .json(keySet(TestKey.rsa.publicKey())) }
    }

    var url: String { server.url }

    var metadata: [String: JSONValue] {
        [
            "issuer": .string(url), "authorization_endpoint": .string(url + "/authorize"),
            "token_endpoint": .string(url + "/token"), "jwks_uri": .string(url + "/jwks"),
            "userinfo_endpoint": .string(url + "/userinfo"), "revocation_endpoint": .string(url + "/revoke"),
            "end_session_endpoint": .string(url + "/logout"),
            "device_authorization_endpoint": .string(url + "/device"),
        ]
    }

    func on(_ path: String, _ route: @escaping Route) {
        routes.withLock { $0[path] = route }
    }

    fileprivate func route(_ path: String) -> Route? {
        routes.withLock { $0[path] }
    }

    /// Claims that are right for a login of alice's.
    func claims(nonce: String?, _ change: [String: JSONValue] = [:]) -> [String: JSONValue] {
        var claims: [String: JSONValue] = [
            "iss": .string(url), "sub": .string("alice"), "aud": .string("scene"), "exp": .int(4_000_000_000),
            "iat": .int(1_700_000_000),
        ]
        if let nonce { claims["nonce"] = .string(nonce) }
        return claims.merging(change) { _, new in new }
    }

    /// A token response with this ID token.
    static func tokens(idToken: String?, _ change: [String: JSONValue] = [:]) -> ScriptedAnswer {
        var members: [String: JSONValue] = [
            "access_token": .string("access-token-1"), "token_type": .string("Bearer"), "expires_in": .int(300),
            "refresh_token": .string("refresh-token-2"),
        ]
        if let idToken { members["id_token"] = .string(idToken) }
        return .json(JSONValue.text(of: members.merging(change) { _, new in new }))
    }

    /// Has the token endpoint answer the login with a good ID token.
    func accept(_ pending: PendingAuthorization, signedBy key: TestKey = .rsa) {
        let idToken = key.sign(claims(nonce: pending.nonce), algorithm: "RS256")
        on("/token") { _ in Self.tokens(idToken: idToken) }
    }
}

/// Breaks the circle of a server that needs its host's routes and a host that needs its server's port.
private final class RouteTable: Sendable {
    private let held = Mutex(WeakHost(nil))

    var host: WeakHost {
        get { held.withLock { $0 } }
        set { held.withLock { $0 = newValue } }
    }

    func find(_ path: String) -> FakeLoginHost.Route? { host.value?.route(path) }
}

private struct WeakHost: @unchecked Sendable {
    weak var value: FakeLoginHost?
    init(_ value: FakeLoginHost?) { self.value = value }
}
