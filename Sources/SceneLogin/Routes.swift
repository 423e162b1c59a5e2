import SceneModel

/// An address that a server listens on.
struct Endpoint: Hashable {
    /// Of the two that listen for a host: `localhost` is both.
    let isIPv6: Bool
    let port: UInt16

    private var host: RedirectURI.Host { isIPv6 ? .ipv6 : .ipv4 }

    /// As a browser writes it in an address and in Host.
    var authority: String { "\(host.rawValue):\(port)" }

    func allows(host asked: String, _ redirect: RedirectURI) -> Bool {
        let names = [host, redirect.host].map(\.rawValue)
        return names.contains { asked == "\($0):\(port)" || (port == 80 && asked == $0) }
    }
}

/// A login as a browser can reach it.
struct LoginRoute {
    enum Stage {
        /// The login host's address is not known yet. Can transition to: ready.
        case preparing
        /// Can transition to: returned; ready again with another state.
        case ready(state: Secret, authorizationUri: String)
        /// The callback that counts has come. Can transition to: ready with another state.
        case returned(state: Secret)
    }

    let login: Int
    let uid: UInt32
    let redirect: RedirectURI
    let endpoints: Set<Endpoint>
    /// The 128 random bits in the login screen's path, in base64url.
    let token: String
    let screen: LoginScreen
    let hostLabel: String
    var stage = Stage.preparing

    fileprivate var state: Secret? {
        switch stage {
        case .preparing: nil
        case .ready(let state, _), .returned(let state): state
        }
    }
}

/// All logins that a browser can reach, and what it is told.
struct Routes {
    enum Answer {
        case prepare(LoginRoute)
        case redirect(to: String)
        /// The user is back already, through another tab.
        case completing(LoginRoute)
        /// Held until the login's outcome is known.
        case callback(login: Int, query: String)
        case refuse(Refusal)
    }

    private(set) var logins: [Int: LoginRoute] = [:]

    mutating func opened(_ route: LoginRoute) {
        logins[route.login] = route
    }

    mutating func ready(login: Int, state: String, authorizationUri: String) {
        logins[login]?.stage = .ready(state: Secret(state), authorizationUri: authorizationUri)
    }

    mutating func returned(login: Int) {
        guard case .ready(let state, _) = logins[login]?.stage else { return }
        logins[login]?.stage = .returned(state: state)
    }

    mutating func closed(login: Int) -> LoginRoute? {
        logins.removeValue(forKey: login)
    }

    func logins(at endpoint: Endpoint) -> [LoginRoute] {
        logins.values.filter { $0.endpoints.contains(endpoint) }
    }

    /// - Parameter uid: whose process holds the other end of the connection; nil where no living one does. Asked only
    ///   when the request has a login to be compared with.
    mutating func requested(_ head: RequestHead, at endpoint: Endpoint, from uid: () -> UInt32?) -> Answer {
        guard !head.hasBody else { return .refuse(.malformed) }
        guard head.method == "GET" || head.method == "HEAD" else { return .refuse(.method) }

        let candidates = logins(at: endpoint)
        if let route = Self.screen(candidates, path: head.target.path) {
            return Self.refusal(head, at: endpoint, route, from: uid).map(Answer.refuse) ?? Self.answer(route)
        }
        guard candidates.contains(where: { $0.redirect.path == head.target.path }) else {
            return .refuse(.unknownAddress)
        }
        guard head.method == "GET" else { return .refuse(.method) }
        guard case .once(let state) = head.target.parameter("state"),
            let route = Self.callback(candidates, path: head.target.path, state: Secret(state))
        else { return .refuse(.unknownState) }
        if let refusal = Self.refusal(head, at: endpoint, route, from: uid) { return .refuse(refusal) }
        guard case .ready(let expected, _) = route.stage else { return .refuse(.usedState) }
        logins[route.login]?.stage = .returned(state: expected)
        return .callback(login: route.login, query: head.target.query)
    }

    private static func answer(_ route: LoginRoute) -> Answer {
        switch route.stage {
        case .preparing: .prepare(route)
        case .ready(_, let authorizationUri): .redirect(to: authorizationUri)
        case .returned: .completing(route)
        }
    }

    private static func refusal(
        _ head: RequestHead, at endpoint: Endpoint, _ route: LoginRoute, from uid: () -> UInt32?
    ) -> Refusal? {
        guard let host = head.single("host"), endpoint.allows(host: host, route.redirect) else { return .wrongHost }
        guard head.isNavigation else { return .notNavigation }
        guard uid() == route.uid else { return .otherUser }
        return nil
    }

    /// Compares with every login, so that the time it takes tells nothing of how near a guess came.
    private static func screen(_ routes: [LoginRoute], path: String) -> LoginRoute? {
        let asked = Secret(path)
        return routes.reduce(nil) { found, route in Secret("/\(route.token)/") == asked ? route : found }
    }

    private static func callback(_ routes: [LoginRoute], path: String, state: Secret) -> LoginRoute? {
        guard !state.isEmpty else { return nil }
        return routes.reduce(nil) { found, route in
            route.state == state && route.redirect.path == path ? route : found
        }
    }
}
