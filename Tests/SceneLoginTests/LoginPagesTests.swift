import Glibc
import SceneModel
import Testing

@testable import SceneLogin

@Suite(.timeLimit(.minutes(1)))
struct LoginPagesTests {
    @Test func aLoginFromItsScreenToItsOutcome() throws {
        let fixture = try LoginFixture()
        let login = try fixture.open(content: .test(title: "Notes <b>"))
        #expect(login.redirectURI == "http://127.0.0.1:\(login.port)/callback")

        let screen = try #require(RawBrowser.get(login.screenPath, at: login))
        #expect(screen.status == 200)
        #expect(screen.body.contains("Notes &lt;b&gt;"))
        #expect(screen.body.contains("Sign in at <bdi>Production</bdi>"))
        #expect(RawBrowser.get(login.screenPath + "go", at: login)?.body.contains("Preparing to sign in") == true)

        try fixture.ready()
        let going = try #require(RawBrowser.get(login.screenPath + "go", at: login))
        #expect(going.body.contains("content=\"0;url=https://login.example.com/authorize?a=b&amp;c=d\""))
        #expect(RawBrowser.get(login.screenPath, at: login, method: "HEAD")?.status == 200)

        let browser = try #require(RawBrowser(port: login.port))
        browser.get("/callback?code=a%2Bb&state=the-state", host: login.authority)
        #expect(fixture.waitForCallback())
        #expect(RawBrowser.get(login.screenPath, at: login)?.body.contains("being completed") == true)
        try fixture.respond(.signedIn(name: "Ada"))
        let outcome = try #require(browser.answer())
        #expect(outcome.status == 200)
        #expect(outcome.body.contains("You are signed in as <bdi>Ada</bdi>. You can close this window."))
    }

    @Test func theCallbackIsHandedOverAsItCame() throws {
        let fixture = try LoginFixture()
        let login = try fixture.open(redirectURI: "http://127.0.0.1")
        try fixture.ready()
        let browser = try #require(RawBrowser(port: login.port))
        browser.get("/?code=a%2Bb+c&state=the%2Dstate&iss=https%3A%2F%2Fx", host: login.authority)
        #expect(fixture.waitForCallback())
        let callbacks = try fixture.takeCallbacks()
        #expect(callbacks.map(\.query) == ["code=a%2Bb+c&state=the%2Dstate&iss=https%3A%2F%2Fx"])
        #expect(callbacks.map(\.login) == [1])
    }

    @Test(
        arguments: [
            (.cancelled, "Sign-in cancelled"),
            (.failed(LoginFault(.refused, .hosts("The clock is wrong."))), "The clock is wrong"),
            (.signedIn(name: nil), "You are signed in."),
        ] as [(LoginOutcome, String)])
    func outcomesArriveEvenIfTheLoginIsClosedAtOnce(outcome: LoginOutcome, text: String) throws {
        let fixture = try LoginFixture()
        let login = try fixture.open()
        try fixture.ready()
        let browser = try #require(RawBrowser(port: login.port))
        browser.get("/callback?state=the-state", host: login.authority)
        #expect(fixture.waitForCallback())
        try fixture.respond(outcome, thenClose: 1)
        #expect(RawBrowser(port: login.port) == nil)
        #expect(browser.answer()?.body.contains(text) == true)
    }

    @Test func respondingInsideTheCallbackAndClosingThereIsFine() throws {
        let fixture = try LoginFixture()
        let login = try fixture.open()
        try fixture.ready()
        try fixture.onLoop { pages in
            pages.onCallback = { [unowned pages] login, _, respond in
                respond(.signedIn(name: "Ada"))
                respond(.cancelled)
                pages.close(login: login)
            }
        }
        let answer = try #require(RawBrowser.get("/callback?state=the-state", at: login))
        #expect(answer.body.contains("Ada"))
        #expect(RawBrowser(port: login.port) == nil)
    }

    @Test func aWindowThatWaitsIsToldOfTheEnd() throws {
        let fixture = try LoginFixture()
        let login = try fixture.open()
        try fixture.ready()
        let browser = try #require(RawBrowser(port: login.port))
        browser.get("/callback?state=the-state", host: login.authority)
        #expect(fixture.waitForCallback())
        let callback = try #require(try fixture.takeCallbacks().first)
        try fixture.onLoop { $0.close(login: 1) }
        #expect(browser.answer()?.body.contains("ended") == true)
        _ = try fixture.onLoop { _ in callback.respond(.signedIn(name: "late")) }
    }

    @Test func aBrowserThatWentAwayHurtsNothing() throws {
        let fixture = try LoginFixture()
        let login = try fixture.open()
        try fixture.ready()
        var browser = RawBrowser(port: login.port)
        browser?.get("/callback?state=the-state", host: login.authority)
        #expect(fixture.waitForCallback())
        browser = nil
        try fixture.respond(.signedIn(name: "Ada"))
        #expect(RawBrowser.get(login.screenPath, at: login)?.status == 200)
    }

    @Test func thePortClosesWithTheLogin() throws {
        let fixture = try LoginFixture()
        let login = try fixture.open()
        let idle = try #require(RawBrowser(port: login.port))
        #expect(RawBrowser.get(login.screenPath, at: login)?.status == 200)
        #expect(try fixture.onLoop(\.openPorts) == [login.port])
        try fixture.onLoop { $0.close(login: 1) }
        #expect(RawBrowser(port: login.port) == nil)
        #expect(idle.readAll().isEmpty)
        #expect(try fixture.onLoop(\.openPorts).isEmpty)
        try fixture.onLoop { $0.close(login: 1) }
    }

    @Test(arguments: ["http://127.0.0.1/other", "http://localhost/callback", "com.example.notes:/callback"])
    func oneThatMovesKeepsItsScreen(redirectURI: String) throws {
        let fixture = try LoginFixture()
        let first = try fixture.open()
        try fixture.ready()
        for uri in [redirectURI, "http://127.0.0.1/callback", "http://127.0.0.1/callback"] {
            let again = try #require(try fixture.onLoop { try $0.move(login: 1, redirectURI: uri) })
            #expect(again.loginScreen == first.loginScreen)
            #expect(try fixture.onLoop(\.openPorts) == [first.port])
            // The state of before counts no longer.
            let late = RawBrowser.get("/callback?state=the-state", at: again)
            #expect((400..<500).contains(late?.status ?? 0))
            try fixture.ready(state: "another", uri: "https://other.example.com/authorize")
            let going = RawBrowser.get(again.screenPath + "go", at: again)
            #expect(going?.body.contains("url=https://other.example.com") == true)
            try fixture.ready()
        }
        #expect(try fixture.takeCallbacks().isEmpty)
        try fixture.onLoop { $0.close(login: 1) }
        #expect(try fixture.onLoop(\.openPorts).isEmpty)
    }

    @Test func aPrivateSchemeHasOnlyItsScreenServed() throws {
        let fixture = try LoginFixture()
        let login = try fixture.open(redirectURI: "com.example.notes:/callback")
        #expect(login.redirectURI == "com.example.notes:/callback")
        try fixture.ready()
        let going = RawBrowser.get(login.screenPath + "go", at: login)
        #expect(going?.body.contains("url=https://login.example.com") == true)
        for path in ["/callback", "/", "//callback"] {
            let answer = RawBrowser.get(path + "?state=the-state", at: login)
            #expect((400..<500).contains(answer?.status ?? 0))
        }
        #expect(try fixture.takeCallbacks().isEmpty)
    }

    @Test func pagesThatGoCloseTheirPorts() throws {
        var fixture: LoginFixture? = try LoginFixture()
        let login = try #require(try fixture?.open())
        try fixture?.ready()
        let browser = try #require(RawBrowser(port: login.port))
        browser.get("/callback?state=the-state", host: login.authority)
        #expect(fixture?.waitForCallback() == true)
        fixture?.dropPages()
        #expect(browser.answer()?.body.contains("ended") == true)
        #expect(RawBrowser(port: login.port) == nil)
        fixture = nil
    }

    @Test func answersKeepToThemselves() throws {
        let fixture = try LoginFixture()
        let login = try fixture.open()
        let answer = try #require(RawBrowser.get(login.screenPath, at: login))
        let policy = try #require(answer.header("Content-Security-Policy"))
        #expect(policy.hasPrefix("default-src 'none'; style-src 'nonce-"))
        #expect(policy.contains("base-uri 'none'"))
        #expect(policy.contains("frame-ancestors 'none'"))
        #expect(policy.contains("form-action 'self'"))
        #expect(answer.header("X-Content-Type-Options") == "nosniff")
        #expect(answer.header("Referrer-Policy") == "same-origin")
        #expect(answer.header("Cache-Control") == "no-store")
        #expect(answer.header("Cross-Origin-Opener-Policy") == "same-origin")
        #expect(answer.header("Content-Type") == "text/html; charset=utf-8")
        let nonce = try #require(policy.split(separator: "nonce-").last?.prefix(22))
        #expect(answer.body.contains("<style nonce=\"\(nonce)\">"))
        #expect(!answer.body.contains("<script"))
    }
}
