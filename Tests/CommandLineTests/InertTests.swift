import CommandLine
import Testing

@Suite struct InertTests {
    @Test(arguments: [
        ("plain", "plain"), ("Zoë 東京", "Zoë 東京"), ("a\u{1b}[2Jb", "a\\x1b[2Jb"), ("a\nb\tc", "a\\x0ab\\x09c"),
        ("\u{9b}31m", "\\x9b31m"), ("\u{202e}gpj", "\\u202egpj"), ("\u{2066}\u{2069}", "\\u2066\\u2069"),
        ("a\u{200f}b\u{feff}", "a\\u200fb\\ufeff"), ("\u{2028}", "\\u2028"), ("\u{e0041}", "\\u{e0041}"),
        ("👩\u{200d}💻", "👩\u{200d}💻"), ("\u{7f}\u{0}", "\\x7f\\x00"), ("e\u{301}", "e\u{301}"),
    ])
    func showsWhatActsOnATerminal(_ text: String, _ shown: String) {
        #expect(Inert.text(text) == shown)
    }

    @Test func quotesAreCut() {
        #expect(Inert.quoted(String(repeating: "x", count: 1000)).count == 83)
        #expect(Inert.quoted("a'\r") == "'a'\\x0d'")
    }

    @Test func jsonKeepsItsMeaning() {
        #expect(Inert.json("{\"a\":\"\u{9b}\u{202e}\u{e0041}é\"}") == #"{"a":"\u009b\u202e\udb40\udc41é"}"#)
    }
}
