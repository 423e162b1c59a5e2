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

    @Test(
        arguments: [
            [:], ["aud": .array([.string("scene")])], ["azp": .string("scene")],
            ["aud": .array([.string("scene"), .string("api")]), "azp": .string("scene")],
            ["exp": .int(Int64(now - 59))],
            ["exp": .double(Double(now) + 0.5)], ["iat": .int(Int64(now + 60))], ["iat": .int(1)],
            ["nbf": .int(Int64(now + 60))], ["at_hash": .string("hash")], ["at_hash": .null], ["auth_time": .int(0)],
            ["exp": .double(1e300)], ["sub": .string(String(repeating: "s", count: 255))],
        ] as [[String: JSONValue]])
    func accepts(change: [String: JSONValue]) throws {
        #expect(try check(change).issuer == "https://a.example.com")
    }

    /// A fault of one claim, and what is told of it.
    private static let faults: [([String: JSONValue], String)] = [
        (["iss": .string("https://a.example.com/")], "of another issuer"),
        (["iss": .string("https://b.example.com")], "of another issuer"), (["iss": .string("ABSENT")], "lacks iss"),
        (["iss": .array([.string("https://a.example.com")])], "no text: iss"),
        (["sub": .string("ABSENT")], "lacks sub"), (["sub": .string("")], "empty sub"),
        (["sub": .int(1)], "no text: sub"),
        (["sub": .string(String(repeating: "s", count: 256))], "more than 255 bytes"),
        (["sub": .string("a\u{1b}[2J")], "not plain ASCII"), (["sub": .string("é")], "not plain ASCII"),
        (["aud": .string("ABSENT")], "lacks aud"), (["aud": .null], "lacks aud"),
        (["aud": .string("other")], "another client: its aud"), (["aud": .array([])], "another client: its aud"),
        (["aud": .array([.string("other")])], "another client: its aud"), (["aud": .int(1)], "another client: its aud"),
        (["aud": .array([.string("scene"), .int(1)])], "no text: its aud"),
        (["aud": .array([.string("scene"), .string("other")])], "lacks azp"),
        (["aud": .array([.string("scene"), .string("other")]), "azp": .string("other")], "another client: its azp"),
        (["azp": .string("other")], "another client: its azp"), (["azp": .int(1)], "no text: azp"),
        (["exp": .string("ABSENT")], "lacks exp"), (["exp": .int(Int64(now - 60))], "has expired"),
        (["exp": .string("1900000000")], "no time: exp"), (["exp": .double(-1e300)], "has expired"),
        (["iat": .string("ABSENT")], "lacks iat"), (["iat": .int(Int64(now + 61))], "from the future"),
        (["iat": .int(.max)], "from the future"), (["iat": .bool(true)], "no time: iat"),
        (["nbf": .int(Int64(now + 61))], "not valid yet"), (["nbf": .string("x")], "no time: nbf"),
        (["nonce": .string("ABSENT")], "lacks nonce"), (["nonce": .string("n-2")], "another login: its nonce"),
        (["nonce": .string("")], "another login: its nonce"), (["nonce": .int(1)], "no text: nonce"),
        (["at_hash": .string("other")], "another access token"), (["at_hash": .string("")], "another access token"),
        (["at_hash": .int(1)], "no text: at_hash"),
    ]

    private func reason(_ change: [String: JSONValue], _ expected: IDTokenExpectation = expected) -> String? {
        do throws(OAuthFailure) { _ = try check(change, expected) } catch {
            if case .invalid("invalid_id_token", let reason) = error { return reason }
        }
        return nil
    }

    @Test(arguments: faults) func refusesEachSingleWrongClaim(change: [String: JSONValue], words: String) {
        let reason = reason(change)
        #expect(reason?.contains(words) == true, "\(reason ?? "accepted")")
    }

    @Test(
        arguments: [
            (.int(Int64(now - 359)), nil), (.int(Int64(now)), nil), (.int(Int64(now + 600)), nil),
            (.int(Int64(now - 361)), "too long ago"), (.int(0), "too long ago"), (.string("ABSENT"), "lacks auth_time"),
            (.null, "lacks auth_time"), (.string("now"), "no time: auth_time"),
        ] as [(JSONValue, String?)])
    func authenticationIsRecentWhereThatWasAskedFor(time: JSONValue, words: String?) {
        var expected = Self.expected
        expected.authenticatedSince = Self.now - 300
        let reason = reason(["auth_time": time], expected)
        if let words { #expect(reason?.contains(words) == true) } else { #expect(reason == nil) }
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
        let set = try #require(
            JSONWebKey.keys(in: Array(JSONValue.text(of: ["keys": .array(keys.map { .object($0) })]).utf8)))
        return try SignedToken(Secret(token)).claims(verifiedBy: set)
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

    @Test(arguments: ["EdDSA", "Ed25519"]) func verifiesEdwards(algorithm: String) throws {
        let key = EdwardsKey()
        let token = key.sign(Self.good, algorithm: algorithm)
        #expect(try claims(token, key.publicKey()) == Self.good)
        #expect(try claims(token, key.publicKey(["alg": .string("EdDSA")]), TestKey.rsa.publicKey()) == Self.good)
        #expect(try claims(token, EdwardsKey().publicKey()) == nil)
        let parts = token.split(separator: ".").map(String.init)
        let other = Base64URL.encode(
            JSONValue.text(of: Self.good.merging(["sub": .string("eve")]) { _, new in new }).utf8)
        #expect(try claims("\(parts[0]).\(other).\(parts[2])", key.publicKey()) == nil)
        for signature in ["", "AAAA", String(parts[2].dropLast(3)), parts[2] + "AAAA"] {
            #expect(try claims("\(parts[0]).\(parts[1]).\(signature)", key.publicKey()) == nil)
        }
    }

    @Test(arguments: [
        (#"{"alg":"none"}"#, "not signed"), (#"{"alg":"None","kid":"rsa"}"#, "not signed"),
        (#"{"alg":"HS256"}"#, "not allowed: HS256"), (#"{"alg":"RSA1_5"}"#, "not allowed: RSA1_5"),
        (#"{}"#, "names no algorithm"), (#"{"alg":["RS256"]}"#, "names no algorithm"), ("[]", "no signed JWT"),
        ("x", "no signed JWT"),
        (#"{"alg":"RS256","kid":"rsa","crit":["b64"],"b64":false}"#, "critical"),
        (#"{"alg":"RS256","crit":[]}"#, "critical"), (#"{"alg":"RS256","typ":"at+jwt"}"#, "its typ"),
        (#"{"alg":"RS256","typ":"logout+jwt"}"#, "its typ"), (#"{"alg":"RS256","typ":1}"#, "its typ"),
        (#"{"alg":"RS256","kid":7}"#, "kid"), (#"{"alg":"RSA-OAEP","enc":"A128GCM"}"#, "encrypted"),
        (#"{"alg":"RS256","alg":"none"}"#, "twice"),
    ])
    func refusesHeaders(header: String, words: String) {
        for signature in ["", "AAAA"] {
            #expect {
                try SignedToken(Secret(unsigned(header, Self.good, signature: signature)))
            } throws: {
                if case .invalid("invalid_id_token", let reason)? = $0 as? OAuthFailure {
                    reason.contains(words)
                } else {
                    false
                }
            }
        }
    }

    @Test(arguments: [#"{"alg":"RS256","typ":"JWT"}"#, #"{"alg":"RS256","typ":"application/jwt"}"#])
    func acceptsHeaders(header: String) throws {
        #expect(try SignedToken(Secret(unsigned(header, Self.good))).algorithm == "RS256")
    }

    @Test func anEncryptedTokenIsNamedAsSuch() {
        #expect(throws: OAuthFailure.invalidIDToken("is encrypted, which is not supported")) {
            try SignedToken(Secret("eyJhbGciOiJSU0EtT0FFUCJ9.a.b.c.d"))
        }
    }

    @Test func aClaimThatStandsThereTwiceIsRefused() throws {
        let claims = JSONValue.text(of: Self.good).dropLast() + #","sub":"eve"}"#
        let token = TestKey.rsa.sign(String(claims), algorithm: "RS256")
        #expect {
            _ = try self.claims(token, TestKey.rsa.publicKey())
        } throws: {
            if case .invalid("invalid_id_token", let reason)? = $0 as? OAuthFailure {
                reason.contains("twice")
            } else {
                false
            }
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
        #expect(
            token.accessTokenHash(of: Secret("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y")) == "77QmUPtjPfzWtF2AnpK9RQ"
        )
        for (algorithm, count) in [("ES384", 32), ("PS512", 43)] {
            let token = try SignedToken(Secret(unsigned(#"{"alg":"\#(algorithm)"}"#, [:])))
            #expect(token.accessTokenHash(of: Secret("x"))?.utf8.count == count)
        }
    }
}
