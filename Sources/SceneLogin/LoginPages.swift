import LinuxIO
import SceneModel

package struct OpenedLogin: Hashable, Sendable {
    /// The address that the user's browser is to open.
    package var loginScreen: String
    /// The redirect URI with the port that it has now.
    package var redirectURI: String

    package init(loginScreen: String, redirectURI: String) {
        self.loginScreen = loginScreen
        self.redirectURI = redirectURI
    }
}

/// What a browser reaches on this machine's loopback while logins are under way: login screens, and the addresses that
/// login hosts send the browser back to.
///
/// Only processes of a login's own uid are served. Nothing that a browser asks for changes a login, but for the one
/// callback that carries its state.
package final class LoginPages {
    /// The callback that carried the login's state; `respond` shows the user the outcome page. Called for no other.
    package var onCallback: (_ login: Int, _ query: String, _ respond: @escaping (LoginOutcome) -> Void) -> Void = {
        _, _, respond in respond(.cancelled)
    }

    private let loop: EventLoop
    private var owners: SocketOwners?
    private var routes = Routes()
    private var servers: [Endpoint: HTTPServer] = [:]
    /// Callbacks whose outcome is not known yet.
    private var held: [Int: (server: HTTPServer, exchange: Exchange)] = [:]

    package init(loop: EventLoop) {
        self.loop = loop
    }

    deinit {
        for server in servers.values { server.close() }
    }

    package var openPorts: [UInt16] {
        Set(servers.keys.map(\.port)).sorted()
    }

    /// Opens a listener, or shares that of a fixed port, before any address of it exists.
    ///
    /// - Parameters:
    ///   - login: names the login from here on; one that is open under this number is closed.
    ///   - uid: whose processes are served.
    ///   - redirectURI: as configured: a loopback address without a port takes any free one.
    ///   - hostLabel: the login host's name for the user.
    package func open(
        login: Int, uid: UInt32, redirectURI: String, screen: LoginScreen, hostLabel: String
    ) throws(LoopbackFailure) -> OpenedLogin {
        let redirect = try RedirectURI(redirectURI)
        close(login: login)
        let endpoints = try listen(redirect)
        guard let first = endpoints.first else { throw .system("no loopback address") }
        let route = LoginRoute(
            login: login, uid: uid, redirect: redirect, endpoints: Set(endpoints), token: randomToken(), screen: screen,
            hostLabel: hostLabel)
        routes.opened(route)
        return OpenedLogin(
            loginScreen: "http://\(first.authority)/\(route.token)/", redirectURI: redirect.text(port: first.port))
    }

    /// The login host's address is known; from here on the login screen sends the browser there.
    package func ready(login: Int, state: String, authorizationUri: String) {
        routes.ready(login: login, state: state, authorizationUri: authorizationUri)
    }

    /// Ends what browsers can reach of a login. A window that still waits is told; an outcome that is on its way to one
    /// arrives.
    package func close(login: Int) {
        guard let route = routes.closed(login: login) else { return }
        respond(login, Response(.ended))
        for endpoint in route.endpoints where routes.logins(at: endpoint).isEmpty {
            servers.removeValue(forKey: endpoint)?.close()
        }
    }

    // MARK: Listening

    private func listen(_ redirect: RedirectURI) throws(LoopbackFailure) -> [Endpoint] {
        switch redirect.host {
        case .ipv4: return [try listen(isIPv6: false, redirect.port)]
        case .ipv6: return [try listen(isIPv6: true, redirect.port)]
        case .localhost: return try listenOnBoth(redirect.port)
        }
    }

    /// A browser may take `localhost` for either address. Whoever else listened on the other one would get the callback.
    private func listenOnBoth(_ port: UInt16?) throws(LoopbackFailure) -> [Endpoint] {
        var attempts = port == nil ? 8 : 1
        while true {
            attempts -= 1
            let first = try listen(isIPv6: false, port)
            do throws(LoopbackFailure) {
                return [first, try listen(isIPv6: true, first.port)]
            } catch {
                if case .system = error, !ListenSocket.hasIPv6 { return [first] }
                if routes.logins(at: first).isEmpty { servers.removeValue(forKey: first)?.close() }
                guard case .portTaken = error, attempts > 0 else { throw error }
            }
        }
    }

    private func listen(isIPv6: Bool, _ port: UInt16?) throws(LoopbackFailure) -> Endpoint {
        if let port, servers[Endpoint(isIPv6: isIPv6, port: port)] != nil {
            return Endpoint(isIPv6: isIPv6, port: port)
        }
        do throws(SystemError) {
            let owners = try diagnosis()
            let socket = try ListenSocket.open(isIPv6: isIPv6, port: port ?? 0)
            let endpoint = Endpoint(isIPv6: isIPv6, port: try ListenSocket.port(of: socket.raw))
            let server = try HTTPServer(loop: loop, owners: owners, endpoint: endpoint, socket: socket)
            server.onRequest = { [weak self, unowned server] in self?.requested($0, at: server) }
            server.isStranger = { [weak self] uid in
                guard let uid, let self else { return true }
                return !routes.logins(at: endpoint).contains { $0.uid == uid }
            }
            servers[endpoint] = server
            return endpoint
        } catch {
            throw error.isAddressInUse ? .portTaken(port ?? 0) : .system(error.description)
        }
    }

    private func diagnosis() throws(SystemError) -> SocketOwners {
        if let owners { return owners }
        let opened = try SocketOwners()
        owners = opened
        return opened
    }

    // MARK: Answering

    private func requested(_ exchange: Exchange, at server: HTTPServer) {
        switch routes.requested(exchange.head, at: server.endpoint, from: { server.uid(of: exchange) }) {
        case .prepare(let route):
            exchange.answer(Response(LoginScreenPage(screen: route.screen, hostLabel: route.hostLabel).preparing))
        case .completing(let route):
            exchange.answer(Response(LoginScreenPage(screen: route.screen, hostLabel: route.hostLabel).completing))
        case .redirect(let uri): exchange.answer(Response(redirectTo: uri))
        case .refuse(let refusal): exchange.answer(Response(refusal))
        case .callback(let login, let query):
            respond(login, Response(.ended))
            held[login] = (server, exchange)
            server.afterwards { [weak self] in self?.returned(login, query, exchange) }
        }
    }

    private func returned(_ login: Int, _ query: String, _ exchange: Exchange) {
        guard held[login]?.exchange === exchange else { return }
        onCallback(login, query) { [weak self] outcome in
            guard let self, held[login]?.exchange === exchange else { return }
            respond(login, Response(Page(outcome)))
        }
    }

    private func respond(_ login: Int, _ response: Response) {
        guard let (server, exchange) = held.removeValue(forKey: login) else { return }
        server.answer(exchange, response)
    }
}
