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
        /// The login host's address is not known yet. Can transition to: ready, failed.
        case preparing
        /// Can transition to: returned, preparing; ready again with another state.
        case ready(state: Secret, authorizationUri: String)
        /// The callback that counts has come. Can transition to: ready with another state.
        case returned(state: Secret)
        /// The login host that was chosen on the screen cannot be used. Can transition to: preparing.
        case failed(LoginFault)
    }

    let login: Int
    let uid: UInt32
    var redirect: RedirectURI
    var endpoints: Set<Endpoint>
    /// The 128 random bits in the login screen's path, in base64url.
    let token: String
    /// As many, in its forms.
    let formToken: String
    var stage = Stage.preparing
    /// Somebody has looked at the screen.
    var isSeen = false

    fileprivate var state: Secret? {
        switch stage {
        case .preparing, .failed: nil
        case .ready(let state, _), .returned(let state): state
        }
    }
}

/// All logins that a browser can reach, and what it is told.
struct Routes {
    enum Answer {
        case show(LoginRoute, ScreenAddress)
        case act(LoginRoute, ScreenAction)
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

    /// The login goes on elsewhere: what was asked of its login host counts no longer.
    mutating func moved(login: Int, _ redirect: RedirectURI, _ endpoints: Set<Endpoint>) {
        logins[login]?.stage = .preparing
        logins[login]?.redirect = redirect
        logins[login]?.endpoints = endpoints
    }

    mutating func failed(login: Int, _ fault: LoginFault) {
        logins[login]?.stage = .failed(fault)
    }

    mutating func closed(login: Int) -> LoginRoute? {
        logins.removeValue(forKey: login)
    }

    func logins(at endpoint: Endpoint) -> [LoginRoute] {
        logins.values.filter { $0.endpoints.contains(endpoint) }
    }

    /// - Parameters:
    ///   - form: what came behind the head.
    ///   - uid: whose process holds the other end of the connection; nil where no living one does. Asked only when the
    ///     request has a login to be compared with.
    mutating func requested(
        _ head: RequestHead, form: [UInt8] = [], at endpoint: Endpoint, from uid: () -> UInt32?
    ) -> Answer {
        if case .refused(let refusal) = head.body { return .refuse(refusal) }
        guard ["GET", "HEAD", "POST"].contains(head.method) else { return .refuse(.method) }

        let candidates = logins(at: endpoint)
        if let (route, address) = Self.screen(candidates, path: head.target.path) {
            return screenRequested(head, form, at: endpoint, route, address, from: uid)
        }
        guard candidates.contains(where: { $0.redirect.path == head.target.path }) else {
            return .refuse(.unknownAddress)
        }
        guard head.method == "GET" else { return .refuse(.method) }
        guard case .once(let state) = head.target.parameter("state"),
            let route = Self.callback(candidates, path: head.target.path, state: Secret(state))
        else { return .refuse(.unknownState) }
        if let refusal = Self.refusal(head, at: endpoint, route, from: uid) { return .refuse(refusal) }
        guard head.isNavigation else { return .refuse(.notNavigation) }
        guard case .ready(let expected, _) = route.stage else { return .refuse(.usedState) }
        logins[route.login]?.stage = .returned(state: expected)
        return .callback(login: route.login, query: head.target.query)
    }

    private mutating func screenRequested(
        _ head: RequestHead, _ form: [UInt8], at endpoint: Endpoint, _ route: LoginRoute, _ address: ScreenAddress,
        from uid: () -> UInt32?
    ) -> Answer {
        if let refusal = Self.refusal(head, at: endpoint, route, from: uid) { return .refuse(refusal) }
        guard head.method == "POST" else {
            guard address != .back else { return .refuse(.method) }
            guard address.isPicture ? head.isPicture : head.isNavigation else { return .refuse(.notNavigation) }
            logins[route.login]?.isSeen = true
            return .show(route, address)
        }
        guard address.takesForms else { return .refuse(.method) }
        guard let host = head.single("host"), head.isSent(from: "http://\(host)") else { return .refuse(.crossSite) }
        let form = String(decoding: form, as: UTF8.self)
        guard case .once(let token) = RequestTarget.parameter("token", of: form),
            Secret(token) == Secret(route.formToken)
        else { return .refuse(.wrongFormToken) }
        guard let action = ScreenAction(address, form: form) else { return .refuse(.malformed) }
        // The user is back already, through another tab.
        if case .returned = route.stage { return .show(route, .go) }
        return .act(route, action)
    }

    private static func refusal(
        _ head: RequestHead, at endpoint: Endpoint, _ route: LoginRoute, from uid: () -> UInt32?
    ) -> Refusal? {
        guard let host = head.single("host"), endpoint.allows(host: host, route.redirect) else { return .wrongHost }
        guard uid() == route.uid else { return .otherUser }
        return nil
    }

    /// Compares with every login, so that the time it takes tells nothing of how near a guess came.
    private static func screen(_ routes: [LoginRoute], path: String) -> (LoginRoute, ScreenAddress)? {
        let parts = path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].isEmpty, let address = ScreenAddress(rawValue: String(parts[2])) else {
            return nil
        }
        let asked = Secret(String(parts[1]))
        let found = routes.reduce(nil as LoginRoute?) { found, route in Secret(route.token) == asked ? route : found }
        return found.map { ($0, address) }
    }

    private static func callback(_ routes: [LoginRoute], path: String, state: Secret) -> LoginRoute? {
        guard !state.isEmpty else { return nil }
        return routes.reduce(nil) { found, route in
            route.state == state && route.redirect.path == path ? route : found
        }
    }
}
