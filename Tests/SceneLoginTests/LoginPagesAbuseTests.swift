import Glibc
import SceneModel
import Testing

@testable import SceneLogin

@Suite(.timeLimit(.minutes(1)))
struct LoginPagesAbuseTests {
    private func completes(_ fixture: LoginFixture, _ login: OpenedLogin) throws {
        let browser = try #require(RawBrowser(port: login.port))
        browser.get("/callback?state=the-state", host: login.authority)
        #expect(fixture.waitForCallback())
        try fixture.respond(.signedIn(name: "Ada"), thenClose: 1)
        #expect(browser.answer()?.body.contains("Ada") == true)
        #expect(RawBrowser(port: login.port) == nil)
    }

    @Test(arguments: [
        "", "GET", "GET /callback?state=the-state HTTP/1.1\r\nHost: 127",
        "POST /go HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            + "Content-Length: 8000\r\n\r\ntoken=",
    ])
    func manyIdleConnectionsKeepNobodyOut(begun: String) throws {
        let fixture = try LoginFixture()
        let login = try fixture.open()
        try fixture.ready()
        let idle = (0..<200).compactMap { _ in RawBrowser(port: login.port) }
        #expect(idle.count == 200)
        for browser in idle { browser.send(begun.utf8) }
        #expect(RawBrowser.get(login.screenPath, at: login)?.status == 200)
        #expect(idle.count(where: \.isHungUp) >= 150)
        try completes(fixture, login)
    }

    @Test func aHeldCallbackOutlivesAFlood() throws {
        let fixture = try LoginFixture()
        let login = try fixture.open()
        try fixture.ready()
        let browser = try #require(RawBrowser(port: login.port))
        browser.get("/callback?state=the-state", host: login.authority)
        #expect(fixture.waitForCallback())
        let idle = (0..<200).compactMap { _ in RawBrowser(port: login.port) }
        #expect(RawBrowser.get(login.screenPath, at: login)?.status == 200)
        try fixture.respond(.signedIn(name: "Ada"))
        #expect(browser.answer()?.body.contains("Ada") == true)
        #expect(idle.count == 200)
    }

    enum Excess: String, CaseIterable {
        case target, header, headers

        func request(host: String) -> String {
            let long = String(repeating: "a", count: 100_000)
            let target = self == .target ? "/callback?state=the-state&x=\(long)" : "/callback?state=the-state"
            let more =
                switch self {
                case .target: ""
                case .header: "X: \(long)\r\n"
                case .headers: String(repeating: "A: b\r\n", count: 20_000)
                }
            return "GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\(more)\r\n"
        }
    }

    @Test(arguments: Excess.allCases)
    func tooLargeHeadsAreRefused(excess: Excess) throws {
        let fixture = try LoginFixture()
        let login = try fixture.open()
        try fixture.ready()
        let browser = try #require(RawBrowser(port: login.port))
        browser.send(excess.request(host: login.authority).utf8)
        if let answer = browser.answer() { #expect((400..<500).contains(answer.status)) }
        #expect(try fixture.takeCallbacks().isEmpty)
        try completes(fixture, login)
    }

    @Test func aLongCallbackIsTaken() throws {
        let fixture = try LoginFixture()
        let login = try fixture.open()
        try fixture.ready()
        let browser = try #require(RawBrowser(port: login.port))
        let code = String(repeating: "c", count: 5000)
        browser.get(
            "/callback?code=\(code)&state=the-state", host: login.authority,
            headers: ["Cookie: " + String(repeating: "k", count: 4000)])
        #expect(fixture.waitForCallback())
        #expect(try fixture.takeCallbacks().first?.query == "code=\(code)&state=the-state")
    }

    /// Valid requests with bytes changed, cut and repeated, and bytes that were never a request. Whatever comes of it, it
    /// is not a callback of a login that waits for another state, and the login completes.
    @Test(arguments: 0..<8)
    func anyBytes(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let fixture = try LoginFixture()
        let login = try fixture.open()
        try fixture.ready()
        let seeds = [
            "GET \(login.screenPath) HTTP/1.1\r\nHost: \(login.authority)\r\nAccept: */*\r\n\r\n",
            "GET /callback?code=x&state=other HTTP/1.1\r\nHost: \(login.authority)\r\nSec-Fetch-Mode: navigate\r\n\r\n",
            "POST /callback HTTP/1.1\r\nHost: \(login.authority)\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            "GET / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 99999999999999999999\r\n\r\n",
        ]
        for _ in 0..<150 {
            let bytes = mutate(Array((seeds.randomElement(using: &generator) ?? "").utf8), &generator)
            guard let browser = RawBrowser(port: login.port) else {
                Issue.record("the port has closed")
                return
            }
            browser.send(bytes)
            if Bool.random(using: &generator) { shutdown(browser.socket, Int32(SHUT_WR)) }
            // An unfinished request is answered by nothing but its time limit: what matters has come after some turns.
            for _ in 0..<5 { #expect(try fixture.onLoop { _ in true }) }
            let answer = browser.readAvailable()
            #expect(answer.isEmpty || answer.starts(with: Array("HTTP/1.".utf8)))
        }
        #expect(try fixture.takeCallbacks().isEmpty)
        try completes(fixture, login)
    }

    private func mutate(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            let place = Int.random(in: 0...bytes.count, using: &generator)
            let end = min(bytes.count, place + Int.random(in: 0...12, using: &generator))
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes.replaceSubrange(place..<end, with: [])
            case 1: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 2: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
            default: bytes.replaceSubrange(place..<end, with: "\r\n\0 %?&=:".utf8.shuffled(using: &generator))
            }
        }
        return bytes
    }
}
