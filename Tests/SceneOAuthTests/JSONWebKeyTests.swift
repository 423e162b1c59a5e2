import Testing

@testable import SceneOAuth

@Suite struct JSONWebKeyTests {
    private func keys(_ members: [String: JSONValue]...) throws -> [JSONWebKey] {
        let text = JSONValue.text(of: ["keys": .array(members.map { .object($0) })])
        return try #require(JSONWebKey.keys(in: Array(text.utf8)))
    }

    @Test func readsAllKinds() throws {
        let keys = try keys(
            TestKey.rsa.publicKey(), TestKey.p256.publicKey(), TestKey.p384.publicKey(), TestKey.p521.publicKey())
        #expect(keys.map(\.keyID) == ["rsa", "p256", "p384", "p521"])
        #expect(keys[0].algorithms.count == 6)
        #expect(keys[1...].map(\.algorithms) == [["ES256"], ["ES384"], ["ES512"]])
    }

    @Test(
        arguments: [
            ["kty": .string("oct"), "k": .string("AAAA")], ["kty": .string("OKP")],
            ["kty": .string("OKP"), "crv": .string("Ed25519"), "x": .string("AAAA")],
            ["kty": .string("OKP"), "crv": .string("X25519"), "x": .string(String(repeating: "A", count: 43))],
            [:], ["use": .string("enc")],
            ["key_ops": .array([.string("sign")])], ["alg": .string("RSA-OAEP")], ["alg": .string("HS256")],
            ["n": .string("not base64!")], ["n": .string("AQAB")], ["e": .null], ["e": .string("AAAAAAAAAAAAAAAA")],
        ] as [[String: JSONValue]])
    func leavesOutWhatCannotSign(change: [String: JSONValue]) throws {
        let members = change.isEmpty ? [:] : TestKey.rsa.publicKey(change)
        #expect(try keys(members, TestKey.p256.publicKey()).map(\.keyID) == ["p256"])
    }

    @Test func leavesOutSmallKeys() throws {
        #expect(try keys(TestKey.smallRSA.publicKey()).isEmpty)
    }

    @Test func theKeysOwnAlgorithmCounts() throws {
        #expect(try keys(TestKey.rsa.publicKey(["alg": .string("PS256")]))[0].algorithms == ["PS256"])
    }

    @Test func privateMembersAreNotKept() throws {
        #expect(!(try keys(TestKey.rsa.publicKey(["d": .string("AQAB")]))[0].json.contains("\"d\"")))
    }

    @Test(arguments: ["", "[]", "{}", "{\"keys\":1}", "<html>"]) func isNoKeySet(text: String) {
        #expect(JSONWebKey.keys(in: Array(text.utf8)) == nil)
    }

    @Test func choosesByKeyID() throws {
        let keys = try keys(TestKey.rsa.publicKey(), TestKey.otherRSA.publicKey(), TestKey.p256.publicKey())
        #expect(keys.candidates(keyID: "other", algorithm: "RS256").map(\.keyID) == ["other"])
        #expect(keys.candidates(keyID: "p256", algorithm: "RS256").isEmpty)
        #expect(keys.candidates(keyID: "nobody", algorithm: "RS256").isEmpty)
        #expect(keys.candidates(keyID: nil, algorithm: "RS256").isEmpty)
        #expect(keys.candidates(keyID: nil, algorithm: "ES256").map(\.keyID) == ["p256"])
    }
}
