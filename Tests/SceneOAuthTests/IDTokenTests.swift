import CJOSE
import SceneModel
import Testing

@testable import SceneOAuth

@Suite struct IDTokenTests {
    static let now = 1_800_000_000
    static let good: [String: JSONValue] = [
        "iss": .string("https://a.example.com"), "sub": .string("alice"), "aud": .string("scene"),
        "exp": .int(Int64(now + 300)), "iat": .int(Int64(now)), "nonce": .string("n-1"),
    ]
    static let expected = IDTokenExpectation(
        issuer: "https://a.example.com", clientID: "scene", nonce: "n-1", now: now)

    private func check(
        _ change: [String: JSONValue], _ expected: IDTokenExpectation = expected
    ) throws(OAuthFailure) -> IDToken {
        let claims = Self.good.merging(change) { _, new in new }.filter { $0.value != .string("ABSENT") }
        return try IDToken(claims, expected: expected, accessTokenHash: "hash")
    }

    @Test(arguments: [
        [:], ["aud": .array([.string("scene")])], ["azp": .string("scene")],
        ["aud": .array([.string("scene"), .string("api")]), "azp": .string("scene")], ["exp": .int(Int64(now - 59))],
        ["exp": .double(Double(now) + 0.5)], ["iat": .int(Int64(now + 60))], ["iat": .int(1)],
        ["nbf": .int(Int64(now + 60))], ["at_hash": .string("hash")], ["at_hash": .null], ["auth_time": .int(0)],
        ["exp": .double(1e300)], ["sub": .string(String(repeating: "s", count: 255))],
    ] as [[String: JSONValue]])
    func accepts(change: [String: JSONValue]) throws {
        #expect(try check(change).issuer == "https://a.example.com")
    }

    @Test(arguments: [
        ["iss": .string("https://a.example.com/")], ["iss": .string("https://b.example.com")],
        ["iss": .string("ABSENT")], ["sub": .string("ABSENT")], ["sub": .string("")], ["sub": .int(1)],
        ["sub": .string(String(repeating: "s", count: 256))], ["sub": .string("a\u{1b}[2J")], ["sub": .string("é")],
        ["aud": .string("ABSENT")], ["aud": .string("other")], ["aud": .array([])], ["aud": .array([.string("other")])],
        ["aud": .int(1)], ["aud": .array([.string("scene"), .string("other")])],
        ["aud": .array([.string("scene"), .string("other")]), "azp": .string("other")], ["azp": .string("other")],
        ["azp": .int(1)], ["exp": .string("ABSENT")], ["exp": .int(Int64(now - 60))], ["exp": .string("1900000000")],
        ["exp": .double(-1e300)], ["iat": .string("ABSENT")], ["iat": .int(Int64(now + 61))], ["iat": .int(.max)],
        ["nbf": .int(Int64(now + 61))], ["nbf": .string("x")], ["nonce": .string("ABSENT")], ["nonce": .string("n-2")],
        ["nonce": .string("")], ["nonce": .int(1)], ["at_hash": .string("other")], ["at_hash": .string("")],
        ["at_hash": .int(1)],
    ] as [[String: JSONValue]])
    func refusesEachSingleWrongClaim(change: [String: JSONValue]) {
        do throws(OAuthFailure) {
            _ = try check(change)
            Issue.record("accepted")
        } catch {
            guard case .invalid("invalid_id_token", _) = error else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test func atARefreshTheSubjectStays() throws {
        var expected = Self.expected
        expected.nonce = nil
        expected.subject = "alice"
        #expect(try check(["nonce": .string("ABSENT")], expected).subject == "alice")
        expected.subject = "bob"
        #expect(throws: OAuthFailure.self) { try check([:], expected) }
    }

    // MARK: Signatures

    private func claims(_ token: String, _ keys: [String: JSONValue]...) throws -> [String: JSONValue]? {
        let signed = try SignedToken(Secret(token))
        let set = try #require(
            JSONWebKey.keys(in: Array(JSONValue.text(of: ["keys": .array(keys.map { .object($0) })]).utf8)))
        return signed.claims(verifiedBy: set.candidates(keyID: signed.keyID, algorithm: signed.algorithm))
    }

    @Test(arguments: [
        (TestKey.rsa, "RS256"), (.rsa, "RS384"), (.rsa, "RS512"), (.rsa, "PS256"), (.rsa, "PS384"), (.rsa, "PS512"),
        (.p256, "ES256"), (.p384, "ES384"), (.p521, "ES512"),
    ])
    func verifies(key: TestKey, algorithm: String) throws {
        let token = key.sign(Self.good, algorithm: algorithm)
        #expect(try claims(token, key.publicKey(), TestKey.otherRSA.publicKey()) == Self.good)
        let changed = token.split(separator: ".").map(String.init)
        let other = Base64URL.encode(
            JSONValue.text(of: Self.good.merging(["sub": .string("eve")]) { _, new in new }).utf8)
        #expect(try claims("\(changed[0]).\(other).\(changed[2])", key.publicKey()) == nil)
        #expect(try claims("\(changed[0]).\(changed[1]).AAAA", key.publicKey()) == nil)
        #expect(try claims("\(changed[0]).\(changed[1]).", key.publicKey()) == nil)
    }

    @Test func anotherKeyUnderTheSameNameIsRefused() throws {
        let token = TestKey.rsa.sign(Self.good, algorithm: "RS256")
        #expect(try claims(token, TestKey.otherRSA.publicKey(["kid": .string("rsa")])) == nil)
    }

    @Test func aTokenWithoutKeyIDNeedsAnOnlyKey() throws {
        let token = TestKey.rsa.sign(Self.good, algorithm: "RS256", keyID: .some(nil))
        #expect(try claims(token, TestKey.rsa.publicKey(), TestKey.p256.publicKey()) == Self.good)
        #expect(try claims(token, TestKey.rsa.publicKey(), TestKey.otherRSA.publicKey()) == nil)
    }

    @Test func aPublicKeyIsNoMACKey() throws {
        let modulus = try #require(TestKey.rsa.publicKey()["n"]?.string.flatMap { Base64URL.decode($0.utf8) })
        let token = TestKey.mac(modulus, keyID: "rsa").sign(Self.good, algorithm: "HS256")
        #expect(!token.isEmpty)
        #expect(throws: OAuthFailure.self) { try claims(token, TestKey.rsa.publicKey()) }
    }

    @Test(arguments: [
        #"{"alg":"none"}"#, #"{"alg":"None","kid":"rsa"}"#, #"{"alg":"EdDSA"}"#, #"{"alg":"RSA1_5"}"#, #"{}"#, "[]", "x",
        #"{"alg":"RS256","kid":"rsa","crit":["b64"],"b64":false}"#, #"{"alg":["RS256"]}"#,
    ])
    func refusesHeaders(header: String) {
        for signature in ["", "AAAA"] {
            #expect(throws: OAuthFailure.self) { try SignedToken(Secret(unsigned(header, Self.good, signature: signature))) }
        }
    }

    @Test(arguments: ["", ".", "..", "...", "a.b", "a.b.c.d", "eyJhbGciOiJSUzI1NiJ9", "\u{0}.\u{0}.\u{0}"])
    func refusesWhatIsNoToken(text: String) {
        #expect(throws: OAuthFailure.self) { try SignedToken(Secret(text)) }
        #expect(throws: OAuthFailure.self) { try SignedToken(Secret(String(repeating: "a", count: 70_000))) }
    }

    /// OpenID Connect Core 1.0's own example (appendix A.3) for SHA-256.
    @Test func accessTokenHash() throws {
        let token = try SignedToken(Secret(unsigned(#"{"alg":"RS256"}"#, [:])))
        #expect(token.accessTokenHash(of: Secret("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y")) == "77QmUPtjPfzWtF2AnpK9RQ")
        for (algorithm, count) in [("ES384", 32), ("PS512", 43)] {
            let token = try SignedToken(Secret(unsigned(#"{"alg":"\#(algorithm)"}"#, [:])))
            #expect(token.accessTokenHash(of: Secret("x"))?.utf8.count == count)
        }
    }
}
