import Glibc
import SceneModel
import Testing

@testable import SceneLogin

/// The screen of a login under way, and its forms.
@Suite(.timeLimit(.minutes(1)))
struct LoginScreenTests {
    private func post(
        _ path: String, _ body: String, at login: OpenedLogin, host: String? = nil, headers: [String] = [],
        length: Int? = nil
    ) -> RawBrowser.Answer? {
        let type = "Content-Type: application/x-www-form-urlencoded"
        guard let browser = RawBrowser(port: login.port) else { return nil }
        browser.get(
            login.screenPath + path, host: host ?? login.authority, method: "POST",
            headers: [type, "Content-Length: \(length ?? body.utf8.count)"] + headers)
        browser.send(body.utf8)
        return browser.answer()
    }

    private func formToken(_ login: OpenedLogin) throws -> String {
        let page = try #require(RawBrowser.get(login.screenPath, at: login)).body
        let start = try #require(page.firstRange(of: "name=\"token\" value=\""))
        return String(page[start.upperBound...].prefix(22))
    }

    @Test(
        arguments: [
            ("go", "account=+ada%40example.com+", .signIn(accountName: "ada@example.com")),
            ("go", "account=", .signIn(accountName: "")),
            ("hosts", "select=https%3A%2F%2Fa.example", .selectHost(url: "https://a.example")),
            ("hosts", "remove=x", .removeHost(url: "x")),
            ("hosts", "add=1&address=b.example&label=B+%26+C", .addHost(url: "b.example", label: "B & C")),
            ("back", "", .goBack),
        ] as [(String, String, ScreenAction)])
    func aFormIsOneAction(path: String, fields: String, action: ScreenAction) throws {
        let fixture = try LoginFixture()
        let login = try fixture.open()
        let token = try formToken(login)
        let origin = ["Origin: http://\(login.authority)", "Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: navigate"]
        let answer = try #require(post(path, "token=\(token)&\(fields)", at: login, headers: origin))
        #expect(answer.status == 303)
        #expect(answer.header("Location") == login.screenPath)
        #expect(try fixture.takeActions() == [action])
    }

    struct Forgery: CustomTestStringConvertible, Sendable {
        var name: String
        var status: Int
        var path = "go"
        var fields = "account=x"
        var token: String?
        var host: String?
        var headers: [String] = []
        var length: Int?
        var testDescription: String { name }
    }

    private static let forgeries = [
        Forgery(name: "no token", status: 403, token: ""),
        Forgery(name: "another token", status: 403, token: "token=AAAAAAAAAAAAAAAAAAAAAA&"),
        Forgery(name: "foreign origin", status: 403, headers: ["Origin: https://evil.example"]),
        Forgery(name: "no page's origin", status: 403, headers: ["Origin: null"]),
        Forgery(name: "origin twice", status: 403, headers: ["Origin: http://127.0.0.1", "Origin: null"]),
        Forgery(name: "another site", status: 403, headers: ["Sec-Fetch-Site: cross-site"]),
        Forgery(name: "another port", status: 403, headers: ["Sec-Fetch-Site: same-site"]),
        Forgery(name: "rebound host", status: 400, host: "evil.example"),
        Forgery(name: "oversized", status: 413, fields: "account=" + String(repeating: "a", count: 9000)),
        Forgery(name: "claims to be oversized", status: 413, length: 1 << 40),
        Forgery(name: "negative length", status: 400, length: -1),
        Forgery(name: "another form", status: 400, fields: "acount=x"),
        Forgery(name: "field twice", status: 400, fields: "account=x&account=y"),
        Forgery(name: "picture", status: 405, path: "logo"),
        Forgery(name: "screen", status: 405, path: ""),
        Forgery(name: "unknown path", status: 404, path: "hosts/x"),
        Forgery(name: "upper case", status: 404, path: "GO"),
    ]

    @Test(arguments: forgeries)
    func aForgedFormChangesNothing(forgery: Forgery) throws {
        let fixture = try LoginFixture()
        let login = try fixture.open()
        let token = try forgery.token ?? "token=\(formToken(login))&"
        let answer = post(
            forgery.path, token + forgery.fields, at: login, host: forgery.host, headers: forgery.headers,
            length: forgery.length)
        // libmicrohttpd answers a length that is none by itself, or closes.
        if forgery.length != -1 || answer != nil { #expect(answer?.status == forgery.status) }
        #expect(try fixture.takeActions().isEmpty)
        #expect(RawBrowser.get(login.screenPath, at: login)?.status == 200)
    }

    @Test func aFormInPiecesIsReadWhole() throws {
        let fixture = try LoginFixture()
        let login = try fixture.open()
        let name = String(repeating: "a", count: 7000)
        let body = Array("token=\(try formToken(login))&account=\(name)".utf8)
        let browser = try #require(RawBrowser(port: login.port))
        browser.get(
            login.screenPath + "go", host: login.authority, method: "POST",
            headers: ["Content-Type: application/x-www-form-urlencoded", "Content-Length: \(body.count)"])
        for start in stride(from: 0, to: body.count, by: 1000) {
            browser.send(body[start..<min(start + 1000, body.count)])
            _ = try fixture.onLoop { _ in true }
        }
        #expect(browser.answer()?.status == 303)
        #expect(try fixture.takeActions() == [.signIn(accountName: name)])
    }

    @Test func aLoginsFormsAreItsOwn() throws {
        let fixture = try LoginFixture()
        let uri = "http://127.0.0.1:\(try fixture.open(login: 9).port)/callback"
        let first = try fixture.open(login: 1, redirectURI: uri)
        let second = try fixture.open(login: 2, redirectURI: uri)
        let answer = post("back", "token=\(try formToken(first))", at: second)
        #expect(answer?.status == 403)
        #expect(try fixture.takeActions().isEmpty)
    }

    @Test func whatCameOfItIsShown() throws {
        let fixture = try LoginFixture()
        let login = try fixture.open()
        let token = try formToken(login)
        func result(_ result: ScreenActionResult) throws -> RawBrowser.Answer {
            try fixture.actionsEnd(with: result)
            return try #require(post("hosts", "token=\(token)&remove=x", at: login))
        }
        #expect(try result(.hosts).header("Location") == login.screenPath + "hosts")
        #expect(try result(.goOn).header("Location") == login.screenPath + "go")
        let refused = try result(.refused(HostProblem(.invalid, address: "ftp://\"x", label: "L")))
        #expect(refused.status == 400)
        #expect(refused.body.contains("value=\"ftp://&quot;x\""))
        #expect(try result(.ended(.cancelled)).body.contains("Nobody was signed in."))
    }

    @Test func theScreenStaysWhenTheLoginMoves() throws {
        let fixture = try LoginFixture()
        let login = try fixture.open()
        try fixture.ready()
        let moved = try fixture.onLoop { try $0.move(login: 1, redirectURI: "http://127.0.0.1/callback") }
        #expect(moved == login)
        // What was asked of the host before counts no longer.
        #expect(RawBrowser.get("/callback?state=the-state", at: login)?.status == 400)
        #expect(RawBrowser.get(login.screenPath + "go", at: login)?.body.contains("Preparing") == true)
        try fixture.onLoop { $0.failed(login: 1, LoginFault(.unreachable)) }
        #expect(RawBrowser.get(login.screenPath + "go", at: login)?.body.contains("cannot be reached") == true)
    }

    @Test func theScreenMovesWhereTheRedirectURIHasAPortOfItsOwn() throws {
        let fixture = try LoginFixture()
        let login = try fixture.open()
        let token = try formToken(login)
        let port = try LoginPagesListeningTests.freePort()
        try fixture.onLoop { pages in
            pages.onAction = { [unowned pages] login, _, respond in
                _ = try? pages.move(login: login, redirectURI: "http://127.0.0.1:\(port)/other")
                respond(.screen)
            }
        }
        let answer = try #require(post("hosts", "token=\(token)&select=x", at: login))
        #expect(answer.status == 200)
        #expect(answer.body.contains("content=\"0;url=http://127.0.0.1:\(port)/"))
        #expect(answer.body.contains(login.screenPath + "\"") && !answer.body.contains(":\(login.port)/"))
        #expect(RawBrowser(port: login.port) == nil)
    }

    @Test func aFormThatWaitsIsToldOfTheEnd() throws {
        let fixture = try LoginFixture()
        let login = try fixture.open()
        let token = try formToken(login)
        try fixture.onLoop { pages in
            pages.onAction = { [unowned pages] login, _, _ in pages.close(login: login) }
        }
        #expect(post("go", "token=\(token)&account=", at: login)?.body.contains("ended") == true)
    }

    /// So many windows wait for the way on, and are not answered yet.
    private func wait(_ count: Int, _ login: OpenedLogin, _ fixture: LoginFixture) throws -> [RawBrowser] {
        let browsers = try (0..<count).map { _ in try #require(RawBrowser(port: login.port)) }
        for browser in browsers { browser.get(login.screenPath + "wait", host: login.authority) }
        while try fixture.onLoop({ $0.waiting.count }) < count { usleep(1000) }
        for browser in browsers { #expect(browser.readAvailable().isEmpty) }
        return browsers
    }

    @Test func windowsWaitUntilTheWayOnIsKnown() throws {
        let fixture = try LoginFixture()
        let login = try fixture.open()
        let waiting = try wait(LoginPages.waitingLimit, login, fixture)
        // One more is to ask again, also of another login of the user.
        for login in [login, try fixture.open(login: 2)] {
            let other = try #require(RawBrowser.get(login.screenPath + "wait", at: login))
            #expect(other.body.contains("content=\"1;url=wait\""))
        }
        try fixture.ready()
        for browser in waiting {
            #expect(browser.answer()?.body.contains("0;url=https://login.example.com/authorize?a=b&amp;c=d") == true)
        }
        #expect(RawBrowser.get(login.screenPath + "wait", at: login)?.body.contains("authorize") == true)
    }

    @Test func windowsThatWaitAreToldWhatWentWrong() throws {
        let fixture = try LoginFixture()
        let login = try fixture.open()
        let first = try wait(1, login, fixture)
        try fixture.onLoop { $0.failed(login: 1, LoginFault(.unreachable)) }
        #expect(first.first?.answer()?.body.contains("cannot be reached") == true)
        _ = try fixture.onLoop { try $0.move(login: 1, redirectURI: "http://127.0.0.1/callback") }
        let second = try wait(1, login, fixture)
        try fixture.onLoop { $0.close(login: 1, .failed(LoginFault(.timedOut))) }
        #expect(second.first?.answer()?.body.contains("The sign-in took too long.") == true)
        #expect(RawBrowser(port: login.port) == nil)
    }

    @Test func picturesAreShownInOurPagesOnly() throws {
        let fixture = try LoginFixture()
        var appearance = Appearance()
        appearance.logo = Asset(Array("<svg onload=\"alert(1)\"/>".utf8), .image)
        let login = try fixture.open(content: .test(appearance: appearance))
        let page = ["Sec-Fetch-Dest: image", "Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: no-cors"]
        let logo = try #require(RawBrowser.get(login.screenPath + "logo", at: login, headers: page))
        #expect(logo.status == 200)
        #expect(logo.header("Content-Type") == "image/svg+xml")
        #expect(logo.header("X-Content-Type-Options") == "nosniff")
        #expect(logo.header("Content-Security-Policy")?.contains("sandbox") == true)
        #expect(RawBrowser.get(login.screenPath + "icon", at: login, headers: page)?.status == 404)
        for site in ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: none"] {
            let others = ["Sec-Fetch-Dest: image", site]
            #expect(RawBrowser.get(login.screenPath + "logo", at: login, headers: others)?.status == 403)
        }
    }

    @Test func manyLoginHostsAreCutShort() throws {
        let fixture = try LoginFixture()
        let hosts = (0..<100_000).map { LoginHost(url: "https://h\($0).example", label: "<b>\($0)") }
        var content = LoginScreenContent.test(hosts: hosts)
        content.host = hosts[99_999].url
        let login = try fixture.open(content: content)
        let page = try #require(RawBrowser.get(login.screenPath + "hosts", at: login)).body
        #expect(page.utf8.count < 200_000)
        #expect(page.contains("https://h99999.example") && page.contains("99800 more login hosts"))
        #expect(!page.contains("<b>"))
    }

    /// As with `OnlyAuthorizedLoginHosts=yes`.
    @Test(arguments: [1, 2, 300])
    func whereNoneCanBeAddedOneOfSeveralIsChosen(_ count: Int) throws {
        let fixture = try LoginFixture()
        let hosts = (0..<count).map { LoginHost(url: "https://h\($0).example", label: "Host \($0)", origin: .managed) }
        var content = LoginScreenContent.test(hosts: hosts)
        content.screen.canAddLoginHost = false
        let login = try fixture.open(content: content)
        let screen = try #require(RawBrowser.get(login.screenPath, at: login)).body
        let page = try #require(RawBrowser.get(login.screenPath + "hosts", at: login))
        #expect(screen.contains("href=\"hosts\"") == (count > 1))
        #expect(page.status == (count > 1 ? 200 : 404))
        #expect(count == 1 || page.body.contains("https://h\(count - 1).example"))
        #expect(!page.body.contains("name=\"add\""))
    }

    @Test func withoutAScreenTheAddressLeadsStraightOn() throws {
        let fixture = try LoginFixture()
        var appearance = Appearance()
        appearance.showsScreen = false
        let login = try fixture.open(content: .test(appearance: appearance))
        #expect(RawBrowser.get(login.screenPath, at: login)?.body.contains("http-equiv=\"refresh\"") == true)
        try fixture.ready()
        let answer = try #require(RawBrowser.get(login.screenPath, at: login))
        #expect(answer.status == 303)
        #expect(answer.header("Location") == "https://login.example.com/authorize?a=b&c=d")
    }

    @Test func itSpeaksTheReadersLanguage() throws {
        let fixture = try LoginFixture()
        let login = try fixture.open()
        let page = try #require(RawBrowser.get(login.screenPath, at: login, headers: ["Accept-Language: de-CH"]))
        #expect(page.body.contains("<html lang=\"de\">") && page.body.contains("Bei <bdi>Production</bdi> anmelden"))
        #expect(page.header("Content-Language") == "de")
    }
}
