import SceneModel
import Testing

@testable import SceneLogin

struct PageTests {
    @Test(arguments: [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'&<>\"", "</bdi></p></main><h1>x",
    ])
    func textFromOutsideIsNoMarkup(text: String) {
        var content = LoginScreenContent.test(title: text, hosts: [LoginHost(url: text, label: text, removable: true)])
        content.accountName = text
        content.appName = text
        content.appearance.logo = Asset([0xff, 0xd8, 0xff], .image)
        let problem = HostProblem(.invalid, address: text, label: text)
        for messages in Messages.all {
            let pages = ScreenPages(content: content, messages: messages, formToken: "t")
            let all = [
                Page(.signedIn(name: text, wanted: text), content, messages),
                Page(.failed(LoginFault(.refused, .hosts(text))), content, messages),
                Page(.failed(LoginFault(.unreachable)), content, messages),
                pages.screen(fault: LoginFault(.notAHost, .ours(text))), pages.preparing(), pages.going(to: text),
                pages.completing,
                pages.hosts(problem),
            ]
            for page in all {
                let html = page.html(nonce: "n")
                #expect(!html.contains(text))
                #expect(html.contains(HTML.text(text).markup))
                #expect(html.components(of: "<h1").count == 2)
                #expect(!html.contains("<script"))
            }
        }
    }

    @Test func longTextIsCut() {
        let content = LoginScreenContent.test()
        let name = String(repeating: "e\u{301}\u{301}", count: 100_000)
        #expect(Page(.signedIn(name: name), content, .english).html(nonce: "n").utf8.count < 20_000)
        let stacked = "a" + String(repeating: "\u{301}", count: 100_000)
        #expect(
            Page(.failed(LoginFault(.refused, .hosts(stacked))), content, .english).html(nonce: "n").utf8.count < 20_000
        )
    }

    @Test func theWayToTheLoginHostIsWholeHoweverLong() {
        let uri = "https://login.example.com/authorize?id_token_hint=" + String(repeating: "x", count: 6000) + "&end=1"
        let html = ScreenPages(content: .test(), messages: .english, formToken: "t").going(to: uri).html(nonce: "n")
        let whole = HTML.text(uri, limit: 10_000).markup
        #expect(html.contains("content=\"0;url=\(whole)\"") && html.contains("href=\"\(whole)\""))
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
        let html = Page(.signedIn(name: "Ada Lovelace"), .test(), .english).html(nonce: "n")
        #expect(html.contains("You are signed in as <bdi>Ada Lovelace</bdi>."))
        #expect(html.contains("role=\"status\""))
        #expect(html.contains("<html lang=\"en\">"))
    }

    @Test(arguments: Refusal.allCases)
    func refusalsAreClientErrors(refusal: Refusal) {
        #expect((400..<500).contains(refusal.status))
        #expect(Page(refusal, .english).html(nonce: "n").contains("role=\"alert\""))
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
