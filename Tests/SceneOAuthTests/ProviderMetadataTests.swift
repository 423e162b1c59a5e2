import Testing

@testable import SceneOAuth

@Suite struct ProviderMetadataTests {
    static let minimum: [String: JSONValue] = [
        "issuer": .string("https://a.example.com/o"),
        "authorization_endpoint": .string("https://a.example.com/o/authorize"),
        "token_endpoint": .string("https://a.example.com/o/token"), "jwks_uri": .string("https://keys.example.com/o"),
    ]

    private func read(_ members: [String: JSONValue], host: String = "https://a.example.com/o") throws(OAuthFailure)
        -> ProviderMetadata
    {
        try ProviderMetadata(
            Array(JSONValue.text(of: Self.minimum.merging(members) { _, new in new }).utf8), host: host)
    }

    @Test func theLeastIsEnough() throws {
        let metadata = try read([:])
        #expect(metadata.tokenEndpoint == "https://a.example.com/o/token")
        #expect(metadata.revocationEndpoint == nil)
        #expect(!metadata.announcesIssuer && !metadata.isComplete)
    }

    @Test(arguments: ["https://a.example.com/o", "https://a.example.com/o/"], ["", "/"])
    func aSlashAtTheEndIsNoDifference(host: String, slash: String) throws {
        let issuer = "https://a.example.com/o" + slash
        #expect(try read(["issuer": .string(issuer)], host: host).issuer == issuer)
    }

    @Test(arguments: [
        "https://b.example.com/o", "https://a.example.com", "https://A.example.com/o", "https://a.example.com/o//",
        "https://a.example.com:443/o", "",
    ])
    func anotherIssuerIsRefused(issuer: String) {
        #expect(throws: OAuthFailure.self) { try read(["issuer": .string(issuer)]) }
    }

    @Test(arguments: ["authorization_endpoint", "token_endpoint", "jwks_uri"], [
        .null, .int(1), .string("http://a.example.com/"), .string("https://127.0.0.1/"), .string("javascript:1"),
    ] as [JSONValue])
    func whatASignInNeedsMustBeUsable(name: String, value: JSONValue) {
        #expect(throws: OAuthFailure.self) { try read([name: value]) }
    }

    @Test(arguments: [.null, .int(1), .string("http://127.0.0.1:9/"), .array([])] as [JSONValue])
    func whatElseIsNotUsableIsAbsent(value: JSONValue) throws {
        let metadata = try read(["userinfo_endpoint": value, "token_endpoint_auth_methods_supported": value])
        #expect(metadata.userinfoEndpoint == nil)
    }

    @Test func isCompletedOnlyByTheSameIssuer() throws {
        var metadata = try read(["revocation_endpoint": .string("https://a.example.com/own")])
        let more: [String: JSONValue] = [
            "issuer": .string("https://a.example.com/o"), "revocation_endpoint": .string("https://a.example.com/r"),
            "device_authorization_endpoint": .string("https://a.example.com/d"),
        ]
        let other = more.merging(["issuer": .string("https://a.example.com/")]) { _, new in new }
        metadata.complete(from: Array(JSONValue.text(of: other).utf8), host: "https://a.example.com/o")
        #expect(metadata.deviceAuthorizationEndpoint == nil)
        metadata.complete(from: Array(JSONValue.text(of: more).utf8), host: "https://a.example.com/o")
        #expect(metadata.revocationEndpoint == "https://a.example.com/own")
        #expect(metadata.deviceAuthorizationEndpoint == "https://a.example.com/d")
    }

    @Test(arguments: ["", "<html>", "[]", "\"x\"", "{"]) func noObjectIsNoLoginHost(text: String) {
        #expect {
            try ProviderMetadata(Array(text.utf8), host: "https://a.example.com")
        } throws: {
            if case .unavailable? = $0 as? OAuthFailure { true } else { false }
        }
    }
}
