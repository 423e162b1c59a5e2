import SceneModel
import Testing

@testable import SceneOAuth

@Suite(.timeLimit(.minutes(1))) struct LoginHostClientTests {
    private func form(_ request: SeenRequest?) throws -> [String: String] {
        let body = try #require(request).body
        let pairs = try #require(Form.decode(body))
        return Dictionary(pairs.map { ($0.name, $0.value) }) { _, _ in "twice" }
    }

    // MARK: Login

    @Test func signsIn() async throws {
        let fake = try FakeLoginHost()
        fake.on("/userinfo") { request in
            request.headers["authorization"] == "Bearer access-token-1"
                ? .json(
                    #"{"sub":"alice","name":"Alice","email":"a@example.com","iss":"evil","preferred_username":"al"}"#)
                : .answer(401)
        }
        let (pending, tokens, identity) = try await withLoopHost { host in
            let pending = try await host.authorize(fake.url)
            fake.accept(pending)
            let (tokens, identity) = try await host.redeem("code=c%2F1&state=\(pending.state)", pending)
            return (pending, tokens, identity)
        }
        #expect(tokens.accessToken == Secret("access-token-1"))
        #expect(tokens.refreshToken == Secret("refresh-token-2"))
        #expect(tokens.expiresIn == 300)
        #expect(identity.issuer == fake.url && identity.subject == "alice")
        #expect(identity.displayName == "Alice" && identity.email == "a@example.com" && identity.username == "al")
        let claims = try #require(JSONValue.object(in: Array(identity.claims.utf8)))
        #expect(claims["iss"] == .string(fake.url))  // what is signed counts before userinfo
        #expect(claims["name"] == .string("Alice"))

        let request = fake.server.requests(to: "/token").first
        #expect(request?.method == "POST")
        #expect(request?.headers["content-type"] == "application/x-www-form-urlencoded")
        #expect(request?.headers["authorization"] == nil)
        #expect(
            try form(request) == [
                "grant_type": "authorization_code", "code": "c/1", "redirect_uri": "http://127.0.0.1:8765/callback",
                "code_verifier": pending.verifier.text, "client_id": "scene",
            ])
    }

    @Test func aConfidentialClientAuthenticates() async throws {
        let fake = try FakeLoginHost()
        try await withLoopHost { host in
            let client = Client(clientID: "scene", clientSecret: Secret("s3cret"))
            let pending = try await host.authorize(fake.url, client)
            fake.accept(pending)
            return try await host.redeem("code=c&state=\(pending.state)", pending, client)
        }
        let request = fake.server.requests(to: "/token").first
        #expect(request?.headers["authorization"] == "Basic c2NlbmU6czNjcmV0")
        #expect(try form(request)["client_id"] == nil)
    }

    @Test(
        arguments: [
            .answer(500), .json(#"{"sub":"bob","name":"Bob"}"#), .json(#"{"name":"Bob"}"#), .answer(200, [:], "<html>"),
            .answer(302, ["Location": "/elsewhere"]), .raw(""),
        ] as [ScriptedAnswer])
    func userinfoIsNoCondition(answer: ScriptedAnswer) async throws {
        let fake = try FakeLoginHost()
        fake.on("/userinfo") { _ in answer }
        let identity = try await withLoopHost { host in
            let pending = try await host.authorize(fake.url)
            fake.accept(pending)
            return try await host.redeem("code=c&state=\(pending.state)", pending).1
        }
        #expect(identity.subject == "alice" && identity.displayName == nil)
        #expect(fake.server.requests(to: "/userinfo").count == 1)
        #expect(fake.server.requests(to: "/elsewhere").isEmpty)
    }

    private func redeeming(
        _ fake: FakeLoginHost, _ idToken: @escaping @Sendable (PendingAuthorization) -> String?
    ) async throws -> OAuthFailure? {
        try await withLoopHost { host in
            let pending = try await host.authorize(fake.url)
            let idToken = idToken(pending)
            fake.on("/token") { _ in FakeLoginHost.tokens(idToken: idToken) }
            do { _ = try await host.redeem("code=c&state=\(pending.state)", pending) } catch {
                return error as? OAuthFailure
            }
            return nil
        }
    }

    @Test(arguments: ["nonce", "aud", "iss", "exp", "at_hash", "none", "mac", "other key", "unknown key", "absent"])
    func badIDTokens(fault: String) async throws {
        let fake = try FakeLoginHost()
        let failure = try await redeeming(fake) { pending in
            func sign(_ change: [String: JSONValue], by key: TestKey = .rsa, keyID: String = "rsa") -> String {
                key.sign(fake.claims(nonce: pending.nonce, change), algorithm: "RS256", keyID: keyID)
            }
            switch fault {
            case "none": return unsigned(#"{"alg":"none"}"#, fake.claims(nonce: pending.nonce))
            case "mac":
                return TestKey.mac(Array("0123456789abcdef0123456789abcdef".utf8), keyID: "rsa")
                    .sign(fake.claims(nonce: pending.nonce), algorithm: "HS256")
            case "other key": return sign([:], by: .otherRSA)
            case "unknown key": return sign([:], keyID: "nobody")
            case "absent": return nil
            case "exp": return sign(["exp": .int(1_700_000_001)])
            default: return sign([fault: .string("wrong")])
            }
        }
        // The tokens live on at the host, so they are not lost from sight.
        guard case .unusable(let tokens, .invalid(let code, _)) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(tokens == .test())
        #expect(code == (fault == "absent" ? "id_token_missing" : "invalid_id_token"))
        #expect(fake.server.requests(to: "/userinfo").isEmpty)
    }

    @Test func keysThatChangeAreFetchedAgainOnce() async throws {
        let fake = try FakeLoginHost()
        try await withLoopHost { host in
            let first = try await host.authorize(fake.url)
            fake.accept(first)
            _ = try await host.redeem("code=c&state=\(first.state)", first)
            #expect(fake.server.requests(to: "/jwks").count == 1)

            fake.on("/jwks") { _ in .json(keySet(TestKey.otherRSA.publicKey())) }
            let second = try await host.authorize(fake.url)
            fake.accept(second, signedBy: .otherRSA)
            _ = try await host.redeem("code=c&state=\(second.state)", second)
            #expect(fake.server.requests(to: "/jwks").count == 2)

            // Unknown keys do not make us ask again and again.
            let third = try await host.authorize(fake.url)
            fake.accept(third, signedBy: .rsa)
            await #expect(throws: OAuthFailure.self) { try await host.redeem("code=c&state=\(third.state)", third) }
            #expect(fake.server.requests(to: "/jwks").count == 2)
            await host.advance(seconds: 61)
            await #expect(throws: OAuthFailure.self) { try await host.redeem("code=c&state=\(third.state)", third) }
            #expect(fake.server.requests(to: "/jwks").count == 3)
        }
    }

    @Test(arguments: ["rsa", nil]) func aKeyThatChangesUnderItsNameIsFetchedAgain(keyID: String?) async throws {
        let fake = try FakeLoginHost()
        let name: [String: JSONValue] = ["kid": keyID.map { .string($0) } ?? .null]
        try await withLoopHost { host in
            for (key, fetches) in [(TestKey.rsa, 1), (.otherRSA, 2)] {
                fake.on("/jwks") { _ in .json(keySet(key.publicKey(name))) }
                let pending = try await host.authorize(fake.url)
                let idToken = key.sign(fake.claims(nonce: pending.nonce), algorithm: "RS256", keyID: .some(keyID))
                fake.on("/token") { _ in FakeLoginHost.tokens(idToken: idToken) }
                _ = try await host.redeem("code=c&state=\(pending.state)", pending)
                #expect(fake.server.requests(to: "/jwks").count == fetches)
            }
        }
    }

    @Test func maxAgeIsAskedForAndHeldTo() async throws {
        let fake = try FakeLoginHost()
        var app = Client(clientID: "scene")
        app.defaultMaxAge = 300
        let client = app
        try await withLoopHost { host in
            let pending = try await host.authorize(fake.url, client)
            #expect(pending.authorizationUri.contains("&max_age=300"))
            let since = try #require(pending.authenticatedSince)
            for (time, words) in [(since - 61, "auth_time"), (since, nil)] as [(Int, String?)] {
                let idToken = TestKey.rsa.sign(
                    fake.claims(nonce: pending.nonce, ["auth_time": .int(Int64(time))]), algorithm: "RS256")
                fake.on("/token") { _ in FakeLoginHost.tokens(idToken: idToken) }
                do {
                    _ = try await host.redeem("code=c&state=\(pending.state)", pending, client)
                    #expect(words == nil)
                } catch OAuthFailure.unusable(_, .invalid(_, let reason)) {
                    #expect(words.map(reason.contains) == true)
                }
            }
        }
    }

    @Test func withoutKeysTheCodeIsNotUsedUp() async throws {
        let fake = try FakeLoginHost()
        fake.on("/jwks") { _ in .answer(503) }
        guard case .unavailable = try await redeeming(fake, { _ in nil }) else {
            Issue.record("not unavailable")
            return
        }
        #expect(fake.server.requests(to: "/token").isEmpty)
    }

    @Test(arguments: ["code=c&state=wrong", "error=access_denied&state=STATE"])
    func noCodeNoTokenRequest(query: String) async throws {
        let fake = try FakeLoginHost()
        try await withLoopHost { host in
            let pending = try await host.authorize(fake.url)
            await #expect(throws: OAuthFailure.self) {
                try await host.redeem(query.replacing("STATE", with: pending.state), pending)
            }
        }
        #expect(fake.server.requests(to: "/token").isEmpty)
    }

    @Test func cancellationEndsATokenRequest() async throws {
        let fake = try FakeLoginHost()
        try await withLoopHost { host in
            let pending = try await host.authorize(fake.url)
            let asked = Ended()
            fake.on("/token") { _ in
                asked.signal()
                return .silence
            }
            let task = Task { try await host.redeem("code=c&state=\(pending.state)", pending) }
            await asked.wait()
            task.cancel()
            await #expect(throws: OAuthFailure.cancelled) { try await task.value }
            await fake.server.hungUp.wait()
        }
    }

    // MARK: Refresh

    @Test func refreshes() async throws {
        let fake = try FakeLoginHost()
        fake.on("/token") { _ in FakeLoginHost.tokens(idToken: nil) }
        let (tokens, identity) = try await withLoopHost { try await $0.refresh(fake.url) }
        #expect(tokens.refreshToken == Secret("refresh-token-2"))
        #expect(identity == nil)
        #expect(
            try form(fake.server.requests(to: "/token").first) == [
                "grant_type": "refresh_token", "refresh_token": "refresh-token-1", "client_id": "scene",
            ])
    }

    @Test(arguments: [("alice", true), ("bob", false)])
    func aNewIDTokenIsOfTheSameUser(subject: String, accepted: Bool) async throws {
        let fake = try FakeLoginHost()
        let idToken = TestKey.rsa.sign(
            fake.claims(nonce: nil, ["sub": .string(subject), "name": .string("A")]), algorithm: "RS256")
        fake.on("/token") { _ in FakeLoginHost.tokens(idToken: idToken) }
        try await withLoopHost { host in
            if accepted {
                let (tokens, identity) = try await host.refresh(fake.url)
                #expect(tokens.idToken == Secret(idToken))
                #expect(identity?.displayName == "A")
            } else {
                await #expect {
                    _ = try await host.refresh(fake.url)
                } throws: {
                    guard case .unusable(let tokens, .invalid) = $0 as? OAuthFailure else { return false }
                    return tokens == .test(areAnothers: true)
                }
            }
        }
    }

    @Test func newTokensAreNotLostForWantOfKeys() async throws {
        let fake = try FakeLoginHost()
        fake.on("/jwks") { _ in .answer(503) }
        let idToken = TestKey.rsa.sign(fake.claims(nonce: nil), algorithm: "RS256")
        fake.on("/token") { _ in FakeLoginHost.tokens(idToken: idToken) }
        let (tokens, identity) = try await withLoopHost { try await $0.refresh(fake.url) }
        #expect(tokens.refreshToken == Secret("refresh-token-2"))
        #expect(tokens.idToken == nil && identity == nil)
    }

    /// A key that is not published yet, or a clock that is off, is no reason to lose the new refresh token.
    @Test(
        arguments: [
            (["exp": .int(1_700_000_001)], "rsa", true), (["iat": .int(4_000_000_000)], "rsa", true),
            (["exp": .null], "rsa", true), ([:], "unknown", true), (["sub": .string("bob")], "unknown", false),
            (["iss": .string("https://b.example.com")], "unknown", false), (["aud": .string("x")], "unknown", false),
            (["at_hash": .string("x")], "rsa", false), ([:], "p256", true),
        ] as [([String: JSONValue], String, Bool)])
    func whatARefreshBringsIsNotLostForItsIDToken(change: [String: JSONValue], keyID: String, kept: Bool) async throws {
        let fake = try FakeLoginHost()
        let idToken = TestKey.rsa.sign(fake.claims(nonce: nil, change), algorithm: "RS256", keyID: keyID)
        fake.on("/token") { _ in FakeLoginHost.tokens(idToken: idToken) }
        try await withLoopHost { host in
            if kept {
                let (tokens, identity) = try await host.refresh(fake.url)
                #expect(tokens.refreshToken == Secret("refresh-token-2"))
                #expect(tokens.idToken == nil && identity == nil)
            } else {
                let areAnothers = change["sub"] != nil || change["iss"] != nil
                await #expect {
                    _ = try await host.refresh(fake.url)
                } throws: {
                    guard case .unusable(let tokens, .invalid) = $0 as? OAuthFailure else { return false }
                    return tokens == .test(areAnothers: areAnothers)
                }
            }
        }
    }

    @Test func aForgedSignatureAtARefreshIsRefused() async throws {
        let fake = try FakeLoginHost()
        let idToken = TestKey.otherRSA.sign(fake.claims(nonce: nil), algorithm: "RS256", keyID: "rsa")
        fake.on("/token") { _ in FakeLoginHost.tokens(idToken: idToken) }
        try await withLoopHost { host in
            await #expect(throws: OAuthFailure.self) { try await host.refresh(fake.url) }
        }
    }

    @Test func aHostThatBecameAnotherGetsNoToken() async throws {
        let fake = try FakeLoginHost()
        try await withLoopHost { host in
            await #expect(throws: OAuthFailure.self) {
                try await host.refresh(fake.url, issuer: "https://login.example.com")
            }
        }
        #expect(fake.server.requests(to: "/token").isEmpty)
    }

    @Test(
        arguments: [
            .answer(200, [:], "<html>Sign in to the WLAN</html>"), .answer(500), .answer(503, ["Retry-After": "11"]),
            .answer(429, ["Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT"]), .answer(408), .raw(""),
            .answer(307, ["Location": "/elsewhere"]),
            .raw("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"access_token\""),
            .answer(200, [:], String(repeating: " ", count: 300_000)), .raw("HTTP/1.1 400 Bad Request\r\n\r\n"),
            .raw("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n"),
        ] as [ScriptedAnswer])
    func trouble(answer: ScriptedAnswer) async throws {
        let fake = try FakeLoginHost()
        fake.on("/token") { _ in answer }
        fake.on("/elsewhere") { _ in FakeLoginHost.tokens(idToken: nil) }
        try await withLoopHost { host in
            await #expect {
                _ = try await host.refresh(fake.url)
            } throws: { error in
                switch (error as? OAuthFailure, answer) {
                case (.unavailable(let seconds, _), .answer(503, _, _)): seconds == 11
                case (.unavailable(let seconds, _), .answer(429, _, _)): seconds == 86_400
                case (.unavailable(nil, _), .answer(307, _, _)), (.unavailable(nil, _), .answer(408, _, _)): true
                // An empty 400 whose end is not known.
                case (.unavailable(nil, _), .raw("HTTP/1.1 400 Bad Request\r\n\r\n")): true
                case (.lost(nil, _), .raw), (.lost(nil, _), .answer(200, _, _)), (.lost(nil, _), .answer(500, _, _)):
                    true
                default: false
                }
            }
        }
        #expect(fake.server.requests(to: "/token").count == 1)
        #expect(fake.server.requests(to: "/elsewhere").isEmpty)
    }

    @Test func aHostThatIsGoneLosesNothing() async throws {
        let fake = try FakeLoginHost()
        try await withLoopHost { host in
            _ = try await host.authorize(fake.url)
            fake.server.stop()
            await #expect {
                _ = try await host.refresh(fake.url)
            } throws: {
                if case .unavailable? = $0 as? OAuthFailure { true } else { false }
            }
        }
    }

    @Test(
        arguments: [
            (.answer(400), "invalid_grant", nil),
            (
                .json(#"{"error":"invalid_grant","error_description":"refresh-token-1 is used"}"#, status: 400),
                "invalid_grant", "[removed] is used"
            ),
        ] as [(ScriptedAnswer, String, String?)])
    func theHostsNo(answer: ScriptedAnswer, code: String, description: String?) async throws {
        let fake = try FakeLoginHost()
        fake.on("/token") { _ in answer }
        try await withLoopHost { host in
            await #expect(throws: OAuthFailure.refused(code: code, description: description)) {
                try await host.refresh(fake.url)
            }
        }
    }

    // MARK: The end of a grant

    @Test func revokesTheRefreshTokenFirst() async throws {
        let fake = try FakeLoginHost()
        fake.on("/revoke") { _ in .answer(200) }
        let outcome = try await withLoopHost { try await $0.revoke(fake.url, refresh: "r", access: "a") }
        #expect(outcome == .revoked)
        let forms = try fake.server.requests(to: "/revoke").map { try form($0) }
        #expect(
            forms == [
                ["token": "r", "token_type_hint": "refresh_token", "client_id": "scene"],
                ["token": "a", "token_type_hint": "access_token", "client_id": "scene"],
            ])
    }

    @Test func revocationIsUnsupportedWhereThereIsNoPlaceForIt() async throws {
        let fake = try FakeLoginHost()
        let metadata = JSONValue.text(of: fake.metadata.filter { $0.key != "revocation_endpoint" })
        fake.on(FakeLoginHost.discovery) { _ in .json(metadata) }
        fake.on("/configured") { _ in .answer(200) }
        let outcomes = try await withLoopHost { host in
            [
                try await host.revoke(fake.url, refresh: "r", access: "a"),
                try await host.revoke(
                    fake.url, Client(clientID: "scene", revocationEndpoint: fake.url + "/configured"), refresh: "r",
                    access: nil),
            ]
        }
        #expect(outcomes == [.unsupported, .revoked])
    }

    @Test func revocationIsToBeTriedAgain() async throws {
        let fake = try FakeLoginHost()
        fake.on("/revoke") { _ in .answer(503, ["Retry-After": "3"]) }
        try await withLoopHost { host in
            await #expect {
                _ = try await host.revoke(fake.url, refresh: "r", access: "a")
            } throws: {
                if case .unavailable(3, _)? = $0 as? OAuthFailure { true } else { false }
            }
        }
    }

    @Test func endsTheSession() async throws {
        let fake = try FakeLoginHost()
        let uri = try await withLoopHost { try await $0.endSession(fake.url, idToken: "a.b.c") }
        let text = try #require(uri)
        #expect(text.hasPrefix(fake.url + "/logout?id_token_hint=a.b.c&client_id=scene&state="))
        let metadata = JSONValue.text(of: fake.metadata.filter { $0.key != "end_session_endpoint" })
        fake.on(FakeLoginHost.discovery) { _ in .json(metadata) }
        #expect(try await withLoopHost { try await $0.endSession(fake.url, idToken: "a") } == nil)
    }

    @Test func endsTheSessionWithWhatIsKnown() async throws {
        let fake = try FakeLoginHost()
        #expect(try await withLoopHost { try await $0.endSession(fake.url, idToken: "a", knowing: false) } == nil)
        var client = Client(clientID: "a b&c=d")
        client.endSessionEndpoint = fake.url + "/end?theme=dark&x"
        let configured = try await withLoopHost { [client] in
            try await $0.endSession(
                fake.url, client, idToken: nil, returnsTo: "https://notes.example/?a=1&b=2 #", knowing: false)
        }
        let start =
            fake.url + "/end?theme=dark&x&client_id=a%20b%26c%3Dd"
            + "&post_logout_redirect_uri=https%3A%2F%2Fnotes.example%2F%3Fa%3D1%26b%3D2%20%23&state="
        #expect(configured?.hasPrefix(start) == true)
        // One that we would not send anybody to is none.
        client.endSessionEndpoint = "http://login.example/end"
        let refused = try await withLoopHost { [client] in
            try await $0.endSession(fake.url, client, idToken: nil, knowing: false)
        }
        #expect(refused == nil)
    }

    @Test(arguments: [(7200, true), (90_000, false)])
    func endsTheSessionWithWhatWasKnownUpToADayAgo(age: Int, isThere: Bool) async throws {
        let fake = try FakeLoginHost()
        let uri = try await withLoopHost { host in
            _ = try await host.endSession(fake.url, idToken: nil)
            await host.advance(seconds: age)
            return try await host.endSession(fake.url, idToken: nil, knowing: false)
        }
        #expect((uri != nil) == isThere)
    }

    @Test(arguments: [(8192, true), (8193, false)])
    func leavesOutAHintThatIsTooLong(length: Int, isThere: Bool) async throws {
        let fake = try FakeLoginHost()
        let uri = try await withLoopHost {
            try await $0.endSession(fake.url, idToken: String(repeating: "a", count: length))
        }
        #expect(uri?.contains("id_token_hint=") == isThere)
        #expect(uri?.contains("client_id=scene&state=") == true)
    }
}

extension UnusableTokens {
    /// Those of `FakeLoginHost.tokens`.
    fileprivate static func test(areAnothers: Bool = false) -> UnusableTokens {
        UnusableTokens(
            accessToken: Secret("access-token-1"), refreshToken: Secret("refresh-token-2"),
            areAnothers: areAnothers)
    }
}
