import LinuxIO
import SceneModel

package struct OpenedLogin: Hashable, Sendable {
    /// The address that the user's browser is to open.
    package var loginScreen: String
    /// The redirect URI with the port that it has now.
    package var redirectURI: String
    /// What the screen's forms carry.
    package var formToken: String

    /// What the login screen's address cannot be guessed without.
    package var token: String { String(loginScreen.split(separator: "/").last ?? "") }

    var port: UInt16? {
        let authority = loginScreen.split(separator: "/").dropFirst().first
        return authority?.split(separator: ":").last.flatMap { UInt16($0) }
    }

    package init(loginScreen: String, redirectURI: String, formToken: String) {
        self.loginScreen = loginScreen
        self.redirectURI = redirectURI
        self.formToken = formToken
    }
}

/// What a browser reaches on this machine's loopback while logins are under way: login screens, and the addresses that
/// login hosts send the browser back to.
///
/// Only processes of a login's own uid are served. Nothing that a browser asks for changes a login, but for the one
/// callback that carries its state, and the forms of its screen that carry its form token.
package final class LoginPages {
    /// The callback that carried the login's state; `respond` shows the user the outcome page. Called for no other.
    package var onCallback: (_ login: Int, _ query: String, _ respond: @escaping (LoginOutcome) -> Void) -> Void = {
        _, _, respond in respond(.cancelled)
    }

    /// What a login's screen shows now; nil where the login is over.
    package var content: (_ login: Int) -> LoginScreenContent? = { _ in nil }
    /// What a user has done on a login's screen; `respond` is called once.
    package var onAction:
        (_ login: Int, _ action: ScreenAction, _ respond: @escaping (ScreenActionResult) -> Void) -> Void = {
            _, _, respond in respond(.screen)
        }

    let loop: EventLoop
    var owners: SocketOwners?
    var routes = Routes()
    var servers: [Endpoint: HTTPServer] = [:]
    /// Listening sockets of a process before this one.
    var inherited: [Endpoint: Int32] = [:]
    /// Callbacks whose outcome is not known yet.
    var held: [Int: Held] = [:]
    /// Forms that are not answered yet, by a number of their own.
    var acting: [Int: Held] = [:]
    var lastAction = 0
    /// Windows that wait for the way on to their login host.
    var waiting: [Held] = []
    /// Of one user, who may share a port with others. Those that are left stay here, too, until the way is known.
    static let waitingLimit = 16

    struct Held {
        var login: Int
        var server: HTTPServer
        var exchange: Exchange
        /// What the screen showed when it came: the login may be over when it is answered.
        var content: LoginScreenContent
    }

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
    ///   - login: names the login from here on; one that is open under this number is closed.
    ///   - uid: whose processes are served.
    ///   - redirectURI: as configured: a loopback address without a port takes any free one. With a private scheme only the
    ///     login screen is served.
    ///   - screenAddress: the login screen's of before, for a login that is taken up again.
    ///   - formToken: its forms', likewise.
    package func open(
        login: Int, uid: UInt32, redirectURI: String, screenAddress: String? = nil, formToken: String? = nil
    ) throws(LoopbackFailure) -> OpenedLogin {
        let redirect = try RedirectURI(redirectURI)
        close(login: login)
        let kept = screenAddress.map { OpenedLogin(loginScreen: $0, redirectURI: "", formToken: "") }
        let token = kept?.token
        let endpoints = try listen(redirect, preferring: kept?.port)
        let route = LoginRoute(
            login: login, uid: uid, redirect: redirect, endpoints: Set(endpoints), token: token ?? randomToken(),
            formToken: formToken ?? randomToken())
        routes.opened(route)
        return try Self.opened(route, at: endpoints)
    }

    private static func opened(_ route: LoginRoute, at endpoints: [Endpoint]) throws(LoopbackFailure) -> OpenedLogin {
        guard let first = endpoints.first else { throw .system("no loopback address") }
        return OpenedLogin(
            loginScreen: "http://\(first.authority)/\(route.token)/",
            redirectURI: route.redirect.text(port: first.port),
            formToken: route.formToken)
    }

    /// The login goes on at another login host, on the same screen. Where that host has a redirect URI of its own, the
    /// screen moves to its port, and a form that was sent for this is answered there. Nil: there is no such login.
    package func move(login: Int, redirectURI: String) throws(LoopbackFailure) -> OpenedLogin? {
        guard let route = routes.logins[login] else { return nil }
        let redirect = try RedirectURI(redirectURI)
        var endpoints = route.endpoints.sorted { !$0.isIPv6 && $1.isIPv6 }
        if redirect.host != route.redirect.host || redirect.port != route.redirect.port {
            endpoints = try listen(redirect, preferring: endpoints.first?.port)
        }
        routes.moved(login: login, redirect, Set(endpoints))
        let opened = try Self.opened(routes.logins[login] ?? route, at: endpoints)
        if endpoints.first.map({ !route.endpoints.contains($0) }) == true {
            for held in takeActing(of: login) + takeWaiting(of: login) {
                // Not by a redirect: a form may only lead to where it came from.
                let pages = ScreenPages(content: held.content, messages: held.exchange.messages, formToken: "")
                held.server.answer(held.exchange, Response(pages.going(to: opened.loginScreen)))
            }
        }
        closeUnused(route.endpoints)
        return opened
    }

    /// The login host that was chosen on the screen cannot be used: the user is told there.
    package func failed(login: Int, _ fault: LoginFault) {
        routes.failed(login: login, fault)
        goOn(login: login)
    }

    /// Whether somebody has opened the login's screen.
    package func isSeen(login: Int) -> Bool { routes.logins[login]?.isSeen ?? false }

    /// The login host's address is known; from here on the login screen sends the browser there.
    package func ready(login: Int, state: String, authorizationUri: String) {
        routes.ready(login: login, state: state, authorizationUri: authorizationUri)
        goOn(login: login)
    }

    /// The response has come another way: nobody is sent to the login host any more.
    package func returned(login: Int) {
        routes.returned(login: login)
    }

    /// Ends what browsers can reach of a login. A window that still waits is told how it ended; an outcome that is on its
    /// way to one arrives.
    package func close(login: Int, _ outcome: LoginOutcome? = nil) {
        guard let route = routes.closed(login: login) else { return }
        func ending(_ held: Held) -> Response {
            let messages = held.exchange.messages
            return Response(outcome.map { Page($0, held.content, messages) } ?? .ended(messages))
        }
        respond(login, ending)
        for held in takeActing(of: login) + takeWaiting(of: login) { held.server.answer(held.exchange, ending(held)) }
        closeUnused(route.endpoints)
    }

    private func takeActing(of login: Int) -> [Held] {
        let taken = acting.filter { $0.value.login == login }
        for number in taken.keys { acting[number] = nil }
        return Array(taken.values)
    }

    private func closeUnused(_ endpoints: Set<Endpoint>) {
        for endpoint in endpoints where routes.logins(at: endpoint).isEmpty {
            servers.removeValue(forKey: endpoint)?.close()
        }
    }
}
