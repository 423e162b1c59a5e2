import SceneModel
import Testing

@testable import SceneOAuth

@Suite struct PKCETests {
    /// RFC 7636, appendix B.
    @Test func challengeOfTheStandard() {
        let verifier = Secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(PKCE.challenge(for: verifier) == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test func verifiersAreLongAndDiffer() {
        let first = PKCE.makeVerifier()
        #expect(first.count == 43) // 256 bits; the standard wants 43 characters at least
        #expect(first != PKCE.makeVerifier())
    }
}
