import Foundation
import Glibc
import SceneModel
import Testing

@testable import SceneLogin

@Suite(.timeLimit(.minutes(1)))
struct LoginPagesRefusalTests {
    struct Request: CustomTestStringConvertible, Sendable {
        var name: String
        var status: Int
        var target = "/callback?code=x&state=the-state"
        var method = "GET"
        /// nil: the right one.
        var host: String?
        var headers: [String] = []
        var testDescription: String { name }
    }

    private static let requests = [
        Request(name: "wrong state", status: 400, target: "/callback?code=x&state=the-statf"),
        Request(name: "longer state", status: 400, target: "/callback?code=x&state=the-state1"),
        Request(name: "no state", status: 400, target: "/callback?code=x"),
        Request(name: "no query", status: 400, target: "/callback"),
        Request(name: "empty state", status: 400, target: "/callback?state="),
        Request(name: "state twice", status: 400, target: "/callback?state=the-state&state=the-state"),
        Request(name: "state twice, once encoded", status: 400, target: "/callback?state=the-state&st%61te=y"),
        Request(name: "wrong path", status: 404, target: "/callbacks?state=the-state"),
        Request(name: "root", status: 404, target: "/?state=the-state"),
        Request(name: "encoded path", status: 404, target: "/c%61llback?state=the-state"),
        Request(name: "dot segment", status: 404, target: "/./callback?state=the-state"),
        Request(name: "doubled slash", status: 404, target: "//callback?state=the-state"),
        Request(name: "absolute form", status: 404, target: "http://127.0.0.1/callback?state=the-state"),
        Request(name: "asterisk form", status: 404, target: "*"),
        Request(name: "wrong token", status: 404, target: "/AAAAAAAAAAAAAAAAAAAAAA/"),
        Request(name: "icon", status: 404, target: "/favicon.ico"),
        Request(name: "rebound host", status: 400, host: "evil.example"),
        Request(name: "host without port", status: 400, host: "127.0.0.1"),
        Request(name: "other name of ours", status: 400, host: "localhost:1"),
        Request(name: "host twice", status: 400, headers: ["Host: 127.0.0.1"]),
        Request(name: "POST", status: 405, method: "POST"),
        Request(name: "HEAD of a callback", status: 405, method: "HEAD"),
        Request(name: "OPTIONS", status: 405, method: "OPTIONS"),
        Request(name: "unknown method", status: 405, method: "BREW"),
        Request(name: "lower case method", status: 405, method: "get"),
        Request(name: "body", status: 400, headers: ["Content-Length: 5"]),
        Request(name: "chunked body", status: 400, headers: ["Transfer-Encoding: chunked"]),
        Request(name: "script", status: 403, headers: ["Sec-Fetch-Mode: cors", "Sec-Fetch-Site: cross-site"]),
        Request(name: "image", status: 403, headers: ["Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image"]),
        Request(name: "frame", status: 403, headers: ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"]),
        Request(name: "foreign origin", status: 403, headers: ["Origin: https://evil.example"]),
    ]

    @Test(arguments: requests)
    func refusedAndNothingChanges(request: Request) throws {
        let fixture = try LoginFixture()
        let login = try fixture.open()
        try fixture.ready()
        let answer = try #require(
            RawBrowser.get(
                request.target, at: login, host: request.host, method: request.method, headers: request.headers))
        #expect(answer.status == request.status)
        if request.method != "HEAD" { #expect(answer.body.contains("Nothing has changed")) }
        #expect(try fixture.takeCallbacks().isEmpty)
        try completes(fixture, login)
    }

    /// A cross-site navigation with all that a browser sends is the normal way.
    private func completes(_ fixture: LoginFixture, _ login: OpenedLogin) throws {
        let browser = try #require(RawBrowser(port: login.port))
        browser.get(
            "/callback?code=x&state=the-state", host: login.authority,
            headers: ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Dest: document"])
        #expect(fixture.waitForCallback())
        try fixture.respond(.signedIn(name: "Ada"))
        #expect(browser.answer()?.body.contains("Ada") == true)
    }

    @Test func aStateCountsOnce() throws {
        let fixture = try LoginFixture()
        let login = try fixture.open()
        try fixture.ready()
        let browser = try #require(RawBrowser(port: login.port))
        browser.get("/callback?code=1&state=the-state", host: login.authority)
        #expect(fixture.waitForCallback())
        #expect(RawBrowser.get("/callback?code=2&state=the-state", at: login)?.status == 409)
        try fixture.respond(.signedIn(name: "Ada"))
        #expect(browser.answer()?.status == 200)
        #expect(RawBrowser.get("/callback?code=3&state=the-state", at: login)?.status == 409)
        #expect(try fixture.takeCallbacks().isEmpty)
    }

    @Test func simultaneousCallbacksCountOnce() throws {
        let fixture = try LoginFixture()
        let login = try fixture.open()
        try fixture.ready()
        let browsers = (0..<20).compactMap { _ in RawBrowser(port: login.port) }
        fixture.whileLoopStands {
            for browser in browsers { browser.get("/callback?code=1&state=the-state", host: login.authority) }
        }
        #expect(fixture.waitForCallback())
        #expect(try fixture.onLoop { _ in true })
        try fixture.respond(.signedIn(name: "Ada"), thenClose: 1)
        let statuses = browsers.compactMap { $0.answer()?.status }
        #expect(statuses.count { $0 == 200 } == 1)
        #expect(try fixture.takeCallbacks().isEmpty)
    }

    @Test func aClientThatClosedAtOnceIsRefused() throws {
        let fixture = try LoginFixture()
        let login = try fixture.open()
        try fixture.ready()
        fixture.whileLoopStands {
            RawBrowser(port: login.port)?.get("/callback?state=the-state", host: login.authority)
        }
        #expect(RawBrowser.get(login.screenPath, at: login)?.status == 200)
        #expect(try fixture.takeCallbacks().isEmpty)
        try completes(fixture, login)
    }

    @Test func aClientThatStoppedSendingIsRefused() throws {
        let fixture = try LoginFixture()
        let login = try fixture.open()
        try fixture.ready()
        let browser = try #require(RawBrowser(port: login.port))
        fixture.whileLoopStands {
            browser.get("/callback?state=the-state", host: login.authority)
            shutdown(browser.socket, Int32(SHUT_WR))
        }
        #expect(browser.answer()?.status ?? 403 == 403)
        #expect(try fixture.takeCallbacks().isEmpty)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func anotherUsersProcessIsRefused() throws {
        let fixture = try LoginFixture()
        let login = try fixture.open()
        try fixture.ready()
        for address in [login.loginScreen, "http://\(login.authority)/callback?state=the-state"] {
            #expect(try status(of: address, uid: 65534) == "403")
        }
        #expect(try status(of: login.loginScreen, uid: 0) == "200")
        #expect(try fixture.takeCallbacks().isEmpty)

        let theirs = try fixture.open(login: 2, uid: 65534)
        try fixture.ready(login: 2, state: "other")
        #expect(try status(of: theirs.loginScreen, uid: 0) == "403")
        #expect(try status(of: theirs.loginScreen, uid: 65534) == "200")
    }

    private func status(of address: String, uid: Int) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
        process.arguments = [
            "--reuid", "\(uid)", "--clear-groups", "curl", "-q", "-s", "--noproxy", "*", "-o", "/dev/null", "-w",
            "%{http_code}", "--max-time", "20", address,
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
