import SceneModel
import Testing

@testable import SceneOAuth

@Suite struct ClientAuthenticationTests {
    private static let issuer = "https://a.example.com"

    private func metadata(_ more: [String: JSONValue] = [:]) throws -> ProviderMetadata {
        let members: [String: JSONValue] = [
            "issuer": .string(Self.issuer), "authorization_endpoint": .string(Self.issuer + "/authorize"),
            "token_endpoint": .string(Self.issuer + "/token"), "jwks_uri": .string(Self.issuer + "/jwks"),
        ]
        let text = JSONValue.text(of: members.merging(more) { $1 })
        return try ProviderMetadata(Array(text.utf8), host: Self.issuer)
    }

    private func authenticate(
        secret: String? = nil, key: ClientKey? = nil, _ method: ClientAuthenticationMethod = .auto, methods: [String]?,
        metadata more: [String: JSONValue] = [:], _ change: (inout Client) -> Void = { _ in }
    ) throws -> (form: [String: String], authorization: String?) {
        var client = Client(clientID: "a b", clientSecret: secret.map { Secret($0) })
        client.key = key
        client.authentication = method
        change(&client)
        var form = Form()
        var headers: [(name: String, value: String)] = []
        try ClientAuthentication(client, metadata: metadata(more), methods: methods, wallNow: 1_800_000_000)
            .apply(client, to: &form, headers: &headers)
        let pairs = try #require(Form.decode(form.text))
        return (
            Dictionary(pairs.map { ($0.name, $0.value) }) { _, _ in "twice" },
            headers.first { $0.name == "Authorization" }?.value
        )
    }

    @Test(arguments: [nil, [], ["client_secret_basic"], ["client_secret_post"]] as [[String]?])
    func publicClientNamesItself(methods: [String]?) throws {
        let sent = try authenticate(methods: methods)
        #expect(sent.form == ["client_id": "a b"])
        #expect(sent.authorization == nil)
    }

    // a%20b:p%3Aw%2B, each half form-encoded before the base64 (RFC 6749, section 2.3.1)
    private static let basic = "Basic YSUyMGI6cCUzQXclMkI="

    @Test(arguments: [nil, [], ["client_secret_post", "client_secret_basic"], ["private_key_jwt"]] as [[String]?])
    func basic(methods: [String]?) throws {
        let sent = try authenticate(secret: "p:w+", methods: methods)
        #expect(sent.form == [:])
        #expect(sent.authorization == Self.basic)
    }

    @Test func post() throws {
        let sent = try authenticate(secret: "p:w+", methods: ["none", "client_secret_post"])
        #expect(sent.form == ["client_id": "a b", "client_secret": "p:w+"])
        #expect(sent.authorization == nil)
    }

    @Test func theConfigurationCountsBeforeTheMetadata() throws {
        #expect(
            try authenticate(secret: "p:w+", .basic, methods: ["client_secret_post"]).authorization == Self.basic)
        #expect(try authenticate(secret: "p:w+", .post, methods: nil).form["client_secret"] == "p:w+")
        #expect(try authenticate(secret: "p:w+", .none, methods: nil).form == ["client_id": "a b"])
    }

    @Test(arguments: [ClientAuthenticationMethod.basic, .post, .privateKeyJWT])
    func whatIsChosenHasToBeThere(method: ClientAuthenticationMethod) {
        #expect {
            _ = try authenticate(method, methods: nil)
        } throws: {
            if case .invalid("clientCredentialUnusable", _)? = $0 as? OAuthFailure { true } else { false }
        }
    }

    // MARK: private_key_jwt

    @Test(
        arguments: [
            (TestKey.rsa, nil, "RS256"), (.rsa, ["PS256", "ES256"], "PS256"), (.rsa, ["EdDSA"], "RS256"),
            (.p256, nil, "ES256"), (.p384, nil, "ES384"), (.p521, ["RS256"], "ES512"),
        ] as [(TestKey, [String]?, String)])
    func privateKeyJWT(key: TestKey, supported: [String]?, algorithm: String) throws {
        let clientKey = try ClientKey(Secret(key.privateText()))
        let algorithms: [String: JSONValue] =
            supported.map { [Self.algorithms: .array($0.map { .string($0) })] } ?? [:]
        let forms = try (0..<2).map { _ in
            try authenticate(key: clientKey, methods: ["client_secret_basic"], metadata: algorithms).form
        }
        let form = forms[0]
        #expect(form["client_id"] == "a b")
        #expect(form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
        let assertion = try SignedToken(Secret(#require(form["client_assertion"])))
        #expect(assertion.algorithm == algorithm)
        #expect(assertion.keyID == key.keyID)
        let keys = try #require(JSONWebKey.keys(in: Array(keySet(key.publicKey()).utf8)))
        var claims = try #require(try assertion.claims(verifiedBy: keys))
        #expect(claims.removeValue(forKey: "jti")?.string?.count == 43)
        #expect(
            claims == [
                "iss": .string("a b"), "sub": .string("a b"), "aud": .string(Self.issuer),
                "iat": .int(1_800_000_000), "exp": .int(1_800_000_300),
            ])
        #expect(forms[1]["client_assertion"] != form["client_assertion"])
    }

    private static let algorithms = "token_endpoint_auth_signing_alg_values_supported"

    @Test func anAudienceOfItsOwn() throws {
        let key = try ClientKey(Secret(TestKey.p256.privateText()), keyID: "mine")
        let form = try authenticate(key: key, .privateKeyJWT, methods: nil) {
            $0.assertionAudience = "https://a.example.com/token"
        }.form
        let assertion = try SignedToken(Secret(#require(form["client_assertion"])))
        #expect(assertion.keyID == "mine")
        let keys = try #require(
            JSONWebKey.keys(in: Array(keySet(TestKey.p256.publicKey(["kid": .string("mine")])).utf8)))
        #expect(try assertion.claims(verifiedBy: keys)?["aud"] == .string("https://a.example.com/token"))
    }

    @Test(arguments: [
        ("", "neither PEM nor a JWK"), ("{}", "neither RSA nor EC"), (#"{"keys":[]}"#, "JWK Set"),
        (#"{"kty":"oct","k":"AAAA"}"#, "neither RSA nor EC"), (#"{"kty":"EC","d":"AAAA"}"#, "not in order"),
        (JSONValue.text(of: TestKey.rsa.publicKey()), "public key"), (TestKey.smallRSA.privateText(), "2048 bits"),
        (TestKey.rsa.privateText(["alg": .string("ES256")]), "alg does not fit"),
        ("-----BEGIN ENCRYPTED PRIVATE KEY-----\n", "passphrase"), ("-----BEGIN PUBLIC KEY-----\n", "no private key"),
        ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "no RSA key"),
    ])
    func unusableKeys(text: String, words: String) {
        #expect {
            _ = try ClientKey(Secret(text))
        } throws: {
            ($0 as? ClientKey.Fault)?.text.contains(words) == true
        }
    }

    @Test func theKeysOwnAlgorithmCounts() throws {
        #expect(try ClientKey(Secret(TestKey.rsa.privateText(["alg": .string("PS384")]))).algorithms == ["PS384"])
    }
}
