import Testing

@testable import SceneOAuth

@Suite struct IdentityTests {
    @Test(arguments: [
        // What was signed anew counts; what it left out stays.
        (#"{"sub":"a","exp":2}"#, #"{"sub":"a","exp":1,"email":"a@b"}"#, #"{"email":"a@b","exp":2,"sub":"a"}"#),
        // What belonged to the former token does not.
        (#"{"sub":"a"}"#, #"{"sub":"a","nonce":"n","at_hash":"h","jti":"1"}"#, #"{"sub":"a"}"#),
        (#"{"sub":"a","at_hash":"new"}"#, #"{"at_hash":"old"}"#, #"{"at_hash":"new","sub":"a"}"#),
        (#"{"sub":"a"}"#, "{}", #"{"sub":"a"}"#), (#"{"sub":"a"}"#, #"{"sid":"s"}"#, #"{"sid":"s","sub":"a"}"#),
        (#"{"sub":"a"}"#, "no JSON", #"{"sub":"a"}"#),
    ])
    func laterClaimsCompleteFormerOnes(claims: String, former: String, expected: String) throws {
        let all = Identity(issuer: "https://i", subject: "a", claims: claims).claims(over: former)
        let read = try #require(JSONValue.object(in: Array(all.utf8)))
        #expect(read == JSONValue.object(in: Array(expected.utf8)))
    }

    @Test func withoutFormerOnesTheyStandAlone() {
        let identity = Identity(issuer: "https://i", subject: "a", claims: #"{"sub":"a"}"#)
        #expect(identity.claims(over: nil) == #"{"sub":"a"}"#)
    }
}
