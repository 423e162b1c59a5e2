import SceneModel
import Testing

@testable import SceneOAuth

@Suite struct ScrubbedTextTests {
    @Test(arguments: [
        ("The grant is invalid.", "The grant is invalid."),
        ("unsupported_token_type or temporarily_unavailable", "unsupported_token_type or temporarily_unavailable"),
        (
            "See https://login.example.com/errors for AADSTS50011",
            "See https://login.example.com/errors for AADSTS50011"
        ),
        ("a\u{1b}[31mred\u{7}\u{9b}\u{202e}\u{2028}\r\nb", "a[31mredb"),
        ("Zugriff verweigert – für Jürgen", "Zugriff verweigert – für Jürgen"),
    ])
    func keepsWords(text: String, expected: String) {
        #expect(ScrubbedText.of(text) == expected)
    }

    @Test(arguments: [
        "token eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln is bad", "token eyJhbGciOi is bad",
        "token dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk is bad", "token ya29.A0ARrdaM8abcdefGHIJKL0 is bad",
        "token \(String(repeating: "a", count: 40)) is bad", "token dBjftJeZ4CVP\u{0}-mB92K27uhbU is bad",
    ])
    func removesTokens(text: String) throws {
        let scrubbed = try #require(ScrubbedText.of(text))
        #expect(scrubbed.hasPrefix("token "))
        #expect(scrubbed.hasSuffix("[removed] is bad"))
        #expect(!scrubbed.contains("eyJ") && !scrubbed.contains("dBj") && !scrubbed.contains("A0AR"))
    }

    @Test func removesWhatWeSent() {
        let secrets = [Secret("pass word"), Secret("c0de")]
        #expect(
            ScrubbedText.of("wrong: pass word, pass%20word, c0de", hiding: secrets)
                == "wrong: [removed], [removed], [removed]")
    }

    @Test(arguments: [
        "cGFzcy93b3JkIQ==", "cGFzcy93b3JkIQ", "706173732f776f726421", "706173732F776F726421", "pass%2Fword%21",
        "pass%2F\u{200b}word%21",
    ])
    func removesWhatWeSentInOtherForms(text: String) {
        #expect(ScrubbedText.of("wrong: \(text).", hiding: [Secret("pass/word!")]) == "wrong: [removed].")
    }

    @Test(arguments: [
        "pass%2fword!", "%70%61%73%73%2f%77%6f%72%64%21", "%2570ass%252fword%21",
    ])
    func tellsNothingWhereItCannotCut(text: String) {
        #expect(ScrubbedText.of("wrong: \(text).", hiding: [Secret("pass/word!")]) == "[removed]")
        #expect(ScrubbedText.code(text, hiding: [Secret("pass/word!")]) == "unknown_error")
    }

    @Test(arguments: ["100% of it", "%", "%2", "%zz%4", "50%20 off", "%E4 and %ff"])
    func keepsOtherPercentSigns(text: String) {
        #expect(ScrubbedText.of(text, hiding: [Secret("pass/word!")]) == text)
    }

    @Test func aCodeIsNoTokenInPieces() {
        let token = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        let pieces = token.enumerated().map { $0.offset % 8 == 7 ? "\($0.element) " : "\($0.element)" }.joined()
        #expect(ScrubbedText.code(pieces) == "unknown_error")
        #expect(ScrubbedText.code("p a s s", hiding: [Secret("pass")]) == "unknown_error")
    }

    @Test func isCut() {
        let long = String(repeating: "long text ", count: 100)
        #expect(ScrubbedText.of(long)?.count == 200)
    }

    @Test(arguments: ["", "  \n", "\u{0}\u{1}"]) func nothingIsNil(text: String) {
        #expect(ScrubbedText.of(text) == nil)
    }

    @Test(arguments: [
        ("invalid_grant", "invalid_grant"), ("in valid\u{1b}[0m<b>", "invalid0mb"), ("", "unknown_error"),
        ("<>", "unknown_error"), ("eyJhbGciOiJSUzI1NiJ9", "unknown_error"),
    ])
    func codes(text: String, code: String) {
        #expect(ScrubbedText.code(text) == code)
    }
}
