import SceneModel
import Testing

@testable import SceneLogin

struct RoutesTests {
    private let endpoint = Endpoint(isIPv6: false, port: 8765)

    private func routes(_ logins: [(login: Int, uid: UInt32)]) throws -> Routes {
        var routes = Routes()
        for (login, uid) in logins {
            routes.opened(
                LoginRoute(
                    login: login, uid: uid, redirect: try RedirectURI("http://127.0.0.1:8765/callback"),
                    endpoints: [endpoint], token: "token\(login)", formToken: "form"))
            routes.ready(login: login, state: "state\(login)", authorizationUri: "https://login.example.com/\(login)")
        }
        return routes
    }

    private func head(_ target: String, host: String = "127.0.0.1:8765", method: String = "GET") -> RequestHead {
        RequestHead(method: method, target: RequestTarget(target), headers: [("host", host)])
    }

    @Test func eachStateReachesItsLogin() throws {
        var routes = try routes([(1, 1000), (2, 1001)])
        guard
            case .callback(2, "state=state2&code=x") =
                routes.requested(head("/callback?state=state2&code=x"), at: endpoint, from: { 1001 })
        else {
            Issue.record("not routed")
            return
        }
        #expect(routes.refusal(of: head("/callback?state=state1"), at: endpoint, uid: 1001) == .otherUser)
        #expect(routes.refusal(of: head("/callback?state=state2"), at: endpoint, uid: 1001) == .usedState)
        #expect(routes.refusal(of: head("/callback?state=state1"), at: endpoint, uid: 1000) == nil)
    }

    @Test func nobodyIsAskedAboutForAnUnknownRoute() throws {
        var routes = try routes([(1, 1000)])
        for target in ["/", "/callback", "/callback?state=other", "/token2/", "/favicon.ico"] {
            guard
                case .refuse = routes.requested(
                    head(target), at: endpoint,
                    from: {
                        Issue.record("asked for \(target)")
                        return 1000
                    })
            else {
                Issue.record("served \(target)")
                continue
            }
        }
    }

    @Test func rootIsNoException() throws {
        var routes = try routes([(1, 1000)])
        #expect(routes.refusal(of: head("/token1/"), at: endpoint, uid: 0) == .otherUser)
        #expect(routes.refusal(of: head("/token1/"), at: endpoint, uid: nil) == .otherUser)
        #expect(routes.refusal(of: head("/token1/"), at: endpoint, uid: 1000) == nil)
    }

    @Test func anotherPortHasOtherLogins() throws {
        var routes = try routes([(1, 1000)])
        let other = Endpoint(isIPv6: false, port: 8766)
        #expect(routes.refusal(of: head("/token1/", host: "127.0.0.1:8766"), at: other, uid: 1000) == .unknownAddress)
    }

    @Test func aLoginThatIsNotReadyHasNoState() throws {
        var routes = Routes()
        routes.opened(
            LoginRoute(
                login: 1, uid: 1, redirect: try RedirectURI("http://127.0.0.1/callback"), endpoints: [endpoint],
                token: "t", formToken: "form"))
        #expect(routes.refusal(of: head("/callback?state="), at: endpoint, uid: 1) == .unknownState)
        routes.ready(login: 1, state: "", authorizationUri: "https://login.example.com/")
        #expect(routes.refusal(of: head("/callback?state="), at: endpoint, uid: 1) == .unknownState)
    }

    @Test func aNewStateReplacesTheUsedOne() throws {
        var routes = try routes([(1, 1)])
        #expect(routes.refusal(of: head("/callback?state=state1"), at: endpoint, uid: 1) == nil)
        routes.ready(login: 1, state: "next", authorizationUri: "https://login.example.com/")
        #expect(routes.refusal(of: head("/callback?state=state1"), at: endpoint, uid: 1) == .unknownState)
        #expect(routes.refusal(of: head("/callback?state=next"), at: endpoint, uid: 1) == nil)
    }

    @Test(arguments: [
        ("127.0.0.1:8765", true), ("localhost:8765", true), ("127.0.0.1", false), ("127.0.0.1:8766", false),
        ("evil.example:8765", false), ("[::1]:8765", false), ("127.0.0.1:8765.", false), ("", false),
    ])
    func hosts(host: String, allowed: Bool) throws {
        let redirect = try RedirectURI("http://localhost:8765/callback")
        #expect(endpoint.allows(host: host, redirect) == allowed)
    }

    @Test func port80NeedsNoPort() throws {
        let redirect = try RedirectURI("http://127.0.0.1:80/")
        #expect(Endpoint(isIPv6: false, port: 80).allows(host: "127.0.0.1", redirect))
    }
}

extension Routes {
    fileprivate mutating func refusal(of head: RequestHead, at endpoint: Endpoint, uid: UInt32?) -> Refusal? {
        guard case .refuse(let refusal) = requested(head, at: endpoint, from: { uid }) else { return nil }
        return refusal
    }
}
