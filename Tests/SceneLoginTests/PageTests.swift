import SceneModel
import Testing

@testable import SceneLogin

struct PageTests {
    @Test(arguments: [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'&<>\"", "</bdi></p></main><h1>x",
    ])
    func textFromOutsideIsNoMarkup(text: String) {
        let pages = [
            Page(.signedIn(name: text)), Page(.failed(message: text)),
            LoginScreenPage(screen: LoginScreen(), hostLabel: text).preparing, Page(title: text, paragraphs: []),
        ]
        for page in pages {
            let html = page.html(nonce: "n")
            #expect(!html.contains(text))
            #expect(html.contains(HTML.text(text).markup))
            #expect(html.components(of: "<h1").count == 2)
        }
    }

    @Test func longTextIsCut() {
        let html = Page(.signedIn(name: String(repeating: "e\u{301}\u{301}", count: 100_000))).html(nonce: "n")
        #expect(html.utf8.count < 10_000)
        let stacked = Page(.failed(message: "a" + String(repeating: "\u{301}", count: 100_000))).html(nonce: "n")
        #expect(stacked.utf8.count < 10_000)
    }

    @Test func controlCharactersAreInert() {
        #expect(HTML.text("a\u{0}b\u{1b}[2Jc\r\nd").markup == "a b [2Jc  d")
    }

    @Test func textKeepsItsDirection() {
        #expect(
            HTML.text("admin\u{202E}nimda\u{2066}\u{1F469}\u{200D}\u{1F4BB}").markup
                == "adminnimda\u{1F469}\u{200D}\u{1F4BB}")
    }

    @Test func theNameStandsForItself() {
        let html = Page(.signedIn(name: "Ada Lovelace")).html(nonce: "n")
        #expect(html.contains("You are signed in as <bdi>Ada Lovelace</bdi>."))
        #expect(html.contains("role=\"status\""))
        #expect(html.contains("<html lang=\"en\">"))
    }

    @Test(arguments: Refusal.allCases)
    func refusalsAreClientErrors(refusal: Refusal) {
        #expect((400..<500).contains(refusal.status))
        #expect(Page(refusal).html(nonce: "n").contains("role=\"alert\""))
    }

    @Test func tokensDiffer() {
        let tokens = Set((0..<1000).map { _ in randomToken() })
        #expect(tokens.count == 1000)
        #expect(tokens.allSatisfy { $0.utf8.count == 22 })
    }

    @Test func locationHoldsNoControlCharacters() {
        let response = Response(redirectTo: "https://a.example/\r\nX: ü\u{7f} ~")
        #expect(response.headers.first?.value == "https://a.example/%0D%0AX:%20%C3%BC%7F%20~")
    }
}

extension String {
    fileprivate func components(of text: String) -> [Substring] {
        split(separator: text, omittingEmptySubsequences: false)
    }
}
