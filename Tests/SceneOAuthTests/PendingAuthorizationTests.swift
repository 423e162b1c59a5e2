import SceneModel
import Testing

@testable import SceneOAuth

@Suite struct PendingAuthorizationTests {
    private func make(
        scopes: String = "openid email", loginHint: String? = nil, force: Bool = false, announces: Bool = false,
        endpoint: String = "https://a.example.com/authorize"
    ) throws -> PendingAuthorization {
        let members = ProviderMetadataTests.minimum.merging([
            "authorization_endpoint": .string(endpoint),
            "authorization_response_iss_parameter_supported": .bool(announces),
        ]) { _, new in new }
        let metadata = try ProviderMetadata(
            Array(JSONValue.text(of: members).utf8), host: "https://a.example.com/o/")
        return PendingAuthorization(
            host: "https://a.example.com/o/", metadata: metadata, client: Client(clientID: "scene", scopes: scopes),
            redirectURI: "http://127.0.0.1:8765/callback", loginHint: loginHint, force: force,
            wallNow: 1_800_000_000)
    }

    private func query(_ pending: PendingAuthorization) throws -> [String: String] {
        let parts = pending.authorizationUri.split(separator: "?", maxSplits: 1)
        let text = try #require(parts.last)
        let pairs = try #require(Form.decode(String(text)))
        return Dictionary(pairs.map { ($0.name, $0.value) }) { _, _ in "twice" }
    }

    @Test func asksForACodeWithPKCE() throws {
        let pending = try make()
        let query = try query(pending)
        #expect(pending.authorizationUri.hasPrefix("https://a.example.com/authorize?"))
        #expect(
            query == [
                "response_type": "code", "client_id": "scene", "redirect_uri": "http://127.0.0.1:8765/callback",
                "scope": "openid email", "state": pending.state, "nonce": pending.nonce,
                "code_challenge": PKCE.challenge(for: pending.verifier), "code_challenge_method": "S256",
            ])
        #expect(Set([pending.state, pending.nonce, pending.verifier.text]).count == 3)
        #expect(pending.state.utf8.count == 43)
    }

    @Test(
        arguments: [
            ("openid", false, nil), ("openid", true, "login"), ("openid offline_access", false, "consent"),
            ("openid offline_access", true, "login consent"),
        ] as [(String, Bool, String?)])
    func prompts(scopes: String, force: Bool, prompt: String?) throws {
        let query = try query(make(scopes: scopes, force: force))
        #expect(query["prompt"] == prompt)
        #expect(query["max_age"] == nil)
    }

    @Test func hintIsPassedOn() throws {
        #expect(try query(make(loginHint: "alice & bob"))["login_hint"] == "alice & bob")
        #expect(try query(make(loginHint: ""))["login_hint"] == nil)
    }

    @Test(arguments: ["https://a.example.com/authorize", "https://a.example.com/authorize?x=1&login_hints=2"])
    func theHintCanBeChanged(endpoint: String) throws {
        for former in [nil, "bob"] {
            var pending = try make(loginHint: former, endpoint: endpoint)
            let expected = try make(endpoint: endpoint).authorizationUri.utf8.count
            for hint in ["ada&state=x", "", "ü"] {
                pending.authorizationUri = pending.authorizationUri(loginHint: hint)
                let query = try query(pending)
                #expect(query["login_hint"] == (hint.isEmpty ? nil : hint))
                #expect(query["state"] == pending.state)
            }
            #expect(pending.authorizationUri(loginHint: "").utf8.count == expected)
        }
    }

    @Test func anEndpointsOwnQueryStays() throws {
        let pending = try make(endpoint: "https://a.example.com/authorize?policy=x")
        #expect(pending.authorizationUri.hasPrefix("https://a.example.com/authorize?policy=x&response_type=code"))
    }

    private func code(_ query: String, announces: Bool = false) throws(OAuthFailure) -> String {
        guard let pending = try? make(announces: announces),
            let callback = CallbackParameters(query: query.replacing("STATE", with: pending.state))
        else { return "" }
        return try pending.code(of: callback).text
    }

    @Test(arguments: [
        ("code=c1&state=STATE", false), ("code=c1&state=STATE&iss=https%3A%2F%2Fa.example.com%2Fo", false),
        ("code=c1&state=STATE&iss=https%3A%2F%2Fa.example.com%2Fo", true),
    ])
    func takesItsAnswer(query: String, announces: Bool) throws {
        #expect(try code(query, announces: announces) == "c1")
    }

    @Test(arguments: [
        ("code=c1", false, "state_mismatch"), ("code=c1&state=x", false, "state_mismatch"),
        ("error=access_denied&state=x", false, "state_mismatch"), ("code=c1&state=STATEx", false, "state_mismatch"),
        ("code=c1&state=STATE", true, "issuer_mismatch"),
        ("code=c1&state=STATE&iss=https%3A%2F%2Fb.example.com%2Fo", false, "issuer_mismatch"),
        ("error=access_denied&state=STATE&iss=https%3A%2F%2Fb.example.com%2Fo", true, "issuer_mismatch"),
        ("state=STATE", false, "code_missing"),
    ])
    func takesNoOther(query: String, announces: Bool, code expected: String) {
        do throws(OAuthFailure) {
            _ = try code(query, announces: announces)
            Issue.record("taken")
        } catch {
            guard case .invalid(let code, _) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(code == expected)
        }
    }

    @Test(arguments: [false, true]) func anErrorIsTheHostsNoEvenWithoutIss(announces: Bool) {
        #expect(throws: OAuthFailure.refused(code: "access_denied", description: "for STATE: [removed]")) {
            try code("error=access_denied&error_description=for+STAT%45:+STATE&state=STATE", announces: announces)
        }
    }
}
