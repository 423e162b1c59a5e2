import SceneModel
import Testing

@testable import SceneOAuth

@Suite(.timeLimit(.minutes(1))) struct DeviceAuthorizationTests {
    private static let good: [String: JSONValue] = [
        "device_code": .string("d/e v"), "user_code": .string("WDJB-MJHT"),
        "verification_uri": .string("https://login.example.com/device"),
        "verification_uri_complete": .string("https://login.example.com/device?user_code=WDJB-MJHT"),
        "expires_in": .int(900), "interval": .int(7),
    ]

    private func read(
        _ change: [String: JSONValue], host: String = "https://login.example.com"
    ) throws(OAuthFailure) -> DeviceAuthorization {
        try DeviceAuthorization(
            Self.good.merging(change) { _, new in new }, requested: Instant(nanoseconds: 0), clientID: "scene",
            issuer: host, host: host)
    }

    private func form(_ request: SeenRequest?) throws -> [String: String] {
        let body = try #require(request).body
        let pairs = try #require(Form.decode(body))
        return Dictionary(pairs.map { ($0.name, $0.value) }) { _, _ in "twice" }
    }

    // MARK: The response

    @Test func readsAResponse() throws {
        let device = try read([:])
        #expect(device.deviceCode == Secret("d/e v") && device.userCode == "WDJB-MJHT")
        #expect(device.verificationUri == "https://login.example.com/device")
        #expect(device.verificationUriComplete == "https://login.example.com/device?user_code=WDJB-MJHT")
        #expect(device.expiresIn == 900 && device.interval == 7)
    }

    @Test(
        arguments: [
            ("interval", .null, 5, 900), ("interval", .int(0), 1, 900), ("interval", .int(-3), 1, 900),
            ("interval", .string("9"), 9, 900), ("interval", .double(1e300), 86_400, 900),
            ("interval", .string("soon"), 5, 900), ("expires_in", .string("60"), 7, 60),
            ("expires_in", .int(.max), 7, 86_400),
        ] as [(String, JSONValue, Int, Int)])
    func timesAreBounded(member: String, value: JSONValue, interval: Int, expiresIn: Int) throws {
        let device = try read([member: value])
        #expect(device.interval == interval && device.expiresIn == expiresIn)
    }

    @Test(
        arguments: [
            ("device_code", .null), ("device_code", .string("")), ("device_code", .int(1)),
            ("user_code", .null), ("user_code", .string("")), ("user_code", .string("  ")),
            ("user_code", .string("\u{1b}[2J")), ("user_code", .string("AB\u{202e}CD")), ("user_code", .string("A\nB")),
            ("user_code", .string(String(repeating: "A", count: 65))),
            ("expires_in", .null), ("expires_in", .int(0)), ("expires_in", .int(-1)), ("expires_in", .string("soon")),
            ("verification_uri", .null), ("verification_uri", .string("")),
            ("verification_uri", .string("http://login.example.com/device")),
            ("verification_uri", .string("javascript:alert(1)")), ("verification_uri", .string("file:///etc/passwd")),
            ("verification_uri", .string("login.example.com/device")),
            ("verification_uri", .string("https://user@evil.example/")),
            ("verification_uri", .string("https://login.example.com/\u{1b}[2J")),
            ("verification_uri", .string("https://login.example.com/a b")),
            // What a remote host means by this machine is not this machine.
            ("verification_uri", .string("http://127.0.0.1/device")),
            ("verification_uri", .string("https://login.example.com/" + String(repeating: "a", count: 2048))),
        ] as [(String, JSONValue)])
    func whatCannotBeShownOrUsedIsRefused(member: String, value: JSONValue) {
        let failure = #expect(throws: OAuthFailure.self) { try read([member: value]) }
        guard case .invalid("invalid_device_response", _) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    @Test(
        arguments: [
            .string("http://login.example.com/device?c=1"), .string("https://x/\u{1b}"), .string(""), .int(1), .null,
        ] as [JSONValue])
    func anUnusableCompleteAddressIsLeftOut(value: JSONValue) throws {
        #expect(try read(["verification_uri_complete": value]).verificationUriComplete == nil)
    }

    @Test func anAddressMayHaveAFragment() throws {
        let fragment = "https://login.example.com/#/device?code=1"
        #expect(try read(["verification_uri": .string(fragment)]).verificationUri == fragment)
    }

    @Test func theOldNameOfTheAddressIsTaken() throws {
        var members = Self.good
        members["verification_url"] = members.removeValue(forKey: "verification_uri")
        let device = try DeviceAuthorization(
            members, requested: Instant(nanoseconds: 0), clientID: "scene", issuer: "i", host: "https://x.example")
        #expect(device.verificationUri == "https://login.example.com/device")
    }

    @Test func onLoopbackTheAddressMayBeThereToo() throws {
        let device = try read(["verification_uri": .string("http://127.0.0.1:8/device")], host: "http://127.0.0.1:9")
        #expect(device.verificationUri == "http://127.0.0.1:8/device")
    }

    // MARK: Asking for a code

    private func answer(_ fake: FakeLoginHost, _ change: [String: JSONValue] = [:]) -> ScriptedAnswer {
        .json(JSONValue.text(of: Self.good.merging(change) { _, new in new }))
    }

    @Test func asksForACode() async throws {
        let fake = try FakeLoginHost()
        let good = answer(fake)
        fake.on("/device") { _ in good }
        let device = try await withLoopHost { host in
            try await host.authorizeDevice(
                fake.url, Client(clientID: "scene", scopes: "profile"), loginHint: "ada", force: true)
        }
        #expect(device.userCode == "WDJB-MJHT" && device.host == fake.url && device.issuer == fake.url)
        let request = fake.server.requests(to: "/device").first
        #expect(request?.method == "POST" && request?.headers["authorization"] == nil)
        #expect(
            try form(request) == [
                "client_id": "scene", "scope": "openid profile", "login_hint": "ada", "prompt": "login",
            ])
    }

    @Test func aConfidentialClientAuthenticates() async throws {
        let fake = try FakeLoginHost()
        let good = answer(fake)
        fake.on("/device") { _ in good }
        _ = try await withLoopHost { host in
            try await host.authorizeDevice(fake.url, Client(clientID: "scene", clientSecret: Secret("s3cret")))
        }
        let request = fake.server.requests(to: "/device").first
        #expect(request?.headers["authorization"] == "Basic c2NlbmU6czNjcmV0")
        #expect(try form(request)["client_id"] == nil)
    }

    private func asking(
        _ fake: FakeLoginHost, _ client: Client = Client(clientID: "scene")
    ) async throws -> OAuthFailure? {
        try await withLoopHost { host in
            do { _ = try await host.authorizeDevice(fake.url, client) } catch { return error as? OAuthFailure }
            return nil
        }
    }

    @Test func aHostWithoutADeviceFlowIsNamed() async throws {
        let fake = try FakeLoginHost()
        var metadata = fake.metadata
        metadata["device_authorization_endpoint"] = nil
        let text = JSONValue.text(of: metadata)
        fake.on(FakeLoginHost.discovery) { _ in .json(text) }
        guard case .invalid("noDeviceFlow", let reason) = try await asking(fake) else {
            Issue.record("goes on")
            return
        }
        #expect(reason.contains("DeviceAuthorizationEndpoint="))
        // Configured, it is used all the same.
        let good = answer(fake)
        fake.on("/elsewhere") { _ in good }
        let configured = Client(clientID: "scene", deviceAuthorizationEndpoint: fake.url + "/elsewhere")
        #expect(try await asking(fake, configured) == nil)
    }

    @Test(
        arguments: [
            (.json(#"{"error":"unauthorized_client"}"#, status: 400), "unauthorized_client"),
            (.json(#"{"error":"invalid_client"}"#, status: 401), "invalid_client"),
            (.json(#"{"error":"invalid_scope"}"#), "invalid_scope"),
            (.answer(404, [:], "<html>"), "noDeviceFlow"), (.answer(405), "noDeviceFlow"),
            (.answer(500), nil), (.answer(429), nil), (.answer(302, ["Location": "/x"]), nil),
            (.answer(200, [:], "<html>"), nil), (.raw(""), nil), (.json("[]"), nil),
            (.json(#"{"error":"temporarily_unavailable"}"#, status: 400), nil),
            (.json("{}"), "invalid_device_response"),
        ] as [(ScriptedAnswer, String?)])
    func answersThatAreNoCode(answer: ScriptedAnswer, code: String?) async throws {
        let fake = try FakeLoginHost()
        fake.on("/device") { _ in answer }
        switch try await asking(fake) {
        case .refused(let said, _), .invalid(let said, _): #expect(said == code)
        case .cancelled, nil: Issue.record("no failure")
        default: #expect(code == nil)
        }
    }

    @Test func nobodyIsAskedToTypeACodeThatCouldNotBeCheckedAfterwards() async throws {
        let fake = try FakeLoginHost()
        fake.on("/jwks") { _ in .answer(500) }
        #expect(try await asking(fake) != nil)
        #expect(fake.server.requests(to: "/device").isEmpty)
    }

    // MARK: Asking for tokens

    private func redeeming(
        _ fake: FakeLoginHost, _ answer: ScriptedAnswer
    ) async throws -> Result<DeviceTokens, OAuthFailure> {
        let good = self.answer(fake)
        fake.on("/device") { _ in good }
        fake.on("/token") { _ in answer }
        return try await withLoopHost { host in
            let device = try await host.authorizeDevice(fake.url)
            do { return .success(try await host.redeem(device)) } catch {
                return .failure(try #require(error as? OAuthFailure))
            }
        }
    }

    @Test(arguments: [nil, "nonce"])
    func theTokensAreCheckedAndTaken(claim: String?) async throws {
        let fake = try FakeLoginHost()
        fake.on("/userinfo") { _ in .json(#"{"sub":"alice","name":"Alice"}"#) }
        // A nonce that we have not sent says nothing.
        let idToken = TestKey.rsa.sign(fake.claims(nonce: claim), algorithm: "RS256")
        let result = try await redeeming(fake, FakeLoginHost.tokens(idToken: idToken))
        guard case .success(.granted(let tokens, let identity)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(tokens.refreshToken == Secret("refresh-token-2"))
        #expect(identity.subject == "alice" && identity.displayName == "Alice" && identity.issuer == fake.url)
        #expect(
            try form(fake.server.requests(to: "/token").first) == [
                "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": "d/e v",
                "client_id": "scene",
            ])
    }

    @Test func withoutAnIDTokenUserinfoSaysWhoItIs() async throws {
        let fake = try FakeLoginHost()
        fake.on("/userinfo") { request in
            request.headers["authorization"] == "Bearer access-token-1"
                ? .json(#"{"sub":"alice","email":"a@example.com"}"#) : .answer(401)
        }
        let result = try await redeeming(fake, FakeLoginHost.tokens(idToken: nil))
        guard case .success(.granted(let tokens, let identity)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(tokens.idToken == nil)
        #expect(identity.subject == "alice" && identity.email == "a@example.com" && identity.issuer == fake.url)
    }

    @Test(
        arguments: [
            .answer(401), .json("{}"), .json(#"{"sub":""}"#), .json(#"{"sub":7}"#), .json(#"{"sub":"a\u001b"}"#),
        ] as [ScriptedAnswer])
    func withNeitherNobodyIsSignedIn(userinfo: ScriptedAnswer) async throws {
        let fake = try FakeLoginHost()
        fake.on("/userinfo") { _ in userinfo }
        guard
            case .failure(.unusable(_, .invalid("id_token_missing", _))) = try await redeeming(
                fake, FakeLoginHost.tokens(idToken: nil))
        else {
            Issue.record("goes on")
            return
        }
    }

    @Test(arguments: ["iss", "aud", "sub", "exp", "at_hash"])
    func anIDTokenThatIsNotInOrderIsRefused(claim: String) async throws {
        let fake = try FakeLoginHost()
        let wrong: JSONValue = claim == "exp" ? .int(1_700_000_001) : claim == "sub" ? .string("") : .string("wrong")
        let idToken = TestKey.rsa.sign(fake.claims(nonce: nil, [claim: wrong]), algorithm: "RS256")
        guard
            case .failure(.unusable(_, .invalid("invalid_id_token", _))) = try await redeeming(
                fake, FakeLoginHost.tokens(idToken: idToken))
        else {
            Issue.record("goes on")
            return
        }
    }

    enum Meaning: Equatable { case pending, slowDown, unavailable(Int?), refused(String), invalid }

    @Test(
        arguments: [
            (.json(#"{"error":"authorization_pending"}"#, status: 400), .pending),
            (.json(#"{"error":"authorization_pending"}"#, status: 428), .pending),
            (.json(#"{"error":"authorization_pending"}"#), .pending),
            (.json(#"{"error":"slow_down"}"#, status: 400), .slowDown),
            (.json(#"{"error":"slow_down"}"#, status: 429), .slowDown),
            (.json(#"{"error":"access_denied"}"#, status: 400), .refused("access_denied")),
            (.json(#"{"error":"expired_token"}"#, status: 400), .refused("expired_token")),
            (.json(#"{"error":"invalid_grant"}"#, status: 400), .refused("invalid_grant")),
            (.json(#"{"error":"invalid_client"}"#, status: 401), .refused("invalid_client")),
            (.json(#"{"error":"temporarily_unavailable"}"#, status: 400), .unavailable(nil)),
            (.answer(503, ["Retry-After": "77"]), .unavailable(77)), (.answer(429), .unavailable(nil)),
            (.answer(500, [:], "<html>"), .unavailable(nil)), (.answer(404), .unavailable(nil)),
            (.answer(200, [:], "<html>welcome to the hotel</html>"), .unavailable(nil)), (.raw(""), .unavailable(nil)),
            (.raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"), .unavailable(nil)),
            (.json(#"{"access_token":"a b"}"#), .invalid),
        ] as [(ScriptedAnswer, Meaning)])
    func whatAnAnswerMeans(answer: ScriptedAnswer, meaning: Meaning) async throws {
        let found: Meaning
        switch try await redeeming(FakeLoginHost(), answer) {
        case .success(.pending): found = .pending
        case .success(.slowDown): found = .slowDown
        case .success(.unavailable(let failure)): found = .unavailable(failure.retryAfterSeconds)
        case .failure(.refused(let code, _)): found = .refused(code)
        case .failure(.invalid): found = .invalid
        default:
            Issue.record("tokens")
            return
        }
        #expect(found == meaning)
    }

    @Test func theDeviceCodeStaysOutOfErrors() async throws {
        let answer = ScriptedAnswer.json(#"{"error":"invalid_grant","error_description":"d/e v is odd"}"#, status: 400)
        guard case .failure(.refused(_, let description?)) = try await redeeming(FakeLoginHost(), answer) else {
            Issue.record("goes on")
            return
        }
        #expect(!description.contains("d/e v"))
    }

    @Test func aHostThatHasBecomeAnotherGetsNoCode() async throws {
        let fake = try FakeLoginHost()
        var other = try read([:])
        other.host = fake.url
        let wrong = other
        await #expect(throws: OAuthFailure.self) {
            try await withLoopHost { host in try await host.redeem(wrong) }
        }
        #expect(fake.server.requests(to: "/token").isEmpty)
    }
}
