import Glibc
import LinuxIO
import SceneModel

package struct OpenedLogin: Hashable, Sendable {
    /// The address that the user's browser is to open.
    package var loginScreen: String
    /// The redirect URI with the port that it has now.
    package var redirectURI: String

    /// What the login screen's address cannot be guessed without.
    package var token: String { String(loginScreen.split(separator: "/").last ?? "") }

    var port: UInt16? {
        let authority = loginScreen.split(separator: "/").dropFirst().first
        return authority?.split(separator: ":").last.flatMap { UInt16($0) }
    }

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
    /// Listening sockets of a process before this one.
    private var inherited: [Endpoint: Int32] = [:]
    /// Callbacks whose outcome is not known yet.
    private var held: [Int: (server: HTTPServer, exchange: Exchange)] = [:]

    package init(loop: EventLoop) {
        self.loop = loop
    }

    deinit {
        for server in servers.values { server.close() }
        forgetInherited()
    }

    package var openPorts: [UInt16] {
        Set(servers.keys.map(\.port)).sorted()
    }

    /// Opens a listener, or shares that of a fixed port, before any address of it exists.
    ///
    /// - Parameters:
    ///   - login: names the login from here on; one that is open under this number begins again at the same login screen.
    ///   - uid: whose processes are served.
    ///   - redirectURI: as configured: a loopback address without a port takes any free one. With a private scheme only the
    ///     login screen is served.
    ///   - hostLabel: the login host's name for the user.
    ///   - screenAddress: the login screen's of before, for a login that is taken up again.
    package func open(
        login: Int, uid: UInt32, redirectURI: String, screen: LoginScreen, hostLabel: String,
        screenAddress: String? = nil
    ) throws(LoopbackFailure) -> OpenedLogin {
        let redirect = try RedirectURI(redirectURI)
        let former = end(login: login)
        defer { closeUnused(former?.endpoints ?? []) }
        let kept = screenAddress.map { OpenedLogin(loginScreen: $0, redirectURI: "") }
        let token = former?.token ?? kept?.token
        let endpoints = try listen(redirect, preferring: former?.endpoints.first?.port ?? kept?.port)
        guard let first = endpoints.first else { throw .system("no loopback address") }
        let route = LoginRoute(
            login: login, uid: uid, redirect: redirect, endpoints: Set(endpoints), token: token ?? randomToken(),
            screen: screen, hostLabel: hostLabel)
        routes.opened(route)
        return OpenedLogin(
            loginScreen: "http://\(first.authority)/\(route.token)/", redirectURI: redirect.text(port: first.port))
    }

    /// The login host's address is known; from here on the login screen sends the browser there.
    package func ready(login: Int, state: String, authorizationUri: String) {
        routes.ready(login: login, state: state, authorizationUri: authorizationUri)
    }

    /// The response has come another way: nobody is sent to the login host any more.
    package func returned(login: Int) {
        routes.returned(login: login)
    }

    /// Ends what browsers can reach of a login. A window that still waits is told; an outcome that is on its way to one
    /// arrives.
    package func close(login: Int) {
        if let route = end(login: login) { closeUnused(route.endpoints) }
    }

    private func end(login: Int) -> LoginRoute? {
        guard let route = routes.closed(login: login) else { return nil }
        respond(login, Response(.ended))
        return route
    }

    private func closeUnused(_ endpoints: Set<Endpoint>) {
        for endpoint in endpoints where routes.logins(at: endpoint).isEmpty {
            servers.removeValue(forKey: endpoint)?.close()
        }
    }

    // MARK: Over a restart

    /// The listening sockets of a login with their ports; they stay this object's.
    package func listeners(of login: Int) -> [(port: UInt16, descriptor: Int32)] {
        (routes.logins[login]?.endpoints ?? []).compactMap { endpoint in
            servers[endpoint].map { (endpoint.port, $0.descriptor) }
        }
    }

    /// Takes over a listening socket of a process before this one, for a login that is opened on its port.
    package func inherit(_ descriptor: Int32) {
        guard let port = try? ListenSocket.port(of: descriptor), let isIPv6 = ListenSocket.isIPv6(descriptor) else {
            Glibc.close(descriptor)
            return
        }
        if let former = inherited.updateValue(descriptor, forKey: Endpoint(isIPv6: isIPv6, port: port)) {
            Glibc.close(former)
        }
    }

    /// No login wants what is left.
    package func forgetInherited() {
        for descriptor in inherited.values {
            shutDown(descriptor)
            Glibc.close(descriptor)
        }
        inherited = [:]
    }

    // MARK: Listening

    /// On the redirect URI's port, or else on the one that a browser knows already, if it is to be had.
    private func listen(_ redirect: RedirectURI, preferring known: UInt16?) throws(LoopbackFailure) -> [Endpoint] {
        guard redirect.port == nil, let known else { return try listen(on: redirect.host, redirect.port) }
        do throws(LoopbackFailure) {
            return try listen(on: redirect.host, known)
        } catch {
            return try listen(on: redirect.host, nil)
        }
    }

    private func listen(on host: RedirectURI.Host, _ port: UInt16?) throws(LoopbackFailure) -> [Endpoint] {
        switch host {
        case .ipv4: [try listen(isIPv6: false, port)]
        case .ipv6: [try listen(isIPv6: true, port)]
        case .localhost: try listenOnBoth(port)
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
            let former = port.flatMap { inherited.removeValue(forKey: Endpoint(isIPv6: isIPv6, port: $0)) }
            let socket =
                if let former { OwnedDescriptor(former) } else {
                    try ListenSocket.open(isIPv6: isIPv6, port: port ?? 0)
                }
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
