import Glibc
import LinuxIO
import SceneModel
import Testing

@testable import SceneLogin

@Suite(.timeLimit(.minutes(1)))
struct LoginPagesListeningTests {
    static func freePort() throws -> UInt16 {
        let socket = try ListenSocket.open(isIPv6: false, port: 0)
        return try ListenSocket.port(of: socket.raw)
    }

    @Test func aFixedPortIsSharedAndRoutedByState() throws {
        let fixture = try LoginFixture()
        let uri = "http://127.0.0.1:\(try Self.freePort())/callback"
        let first = try fixture.open(login: 1, redirectURI: uri)
        let second = try fixture.open(login: 2, uid: geteuid() + 1, redirectURI: uri)
        let third = try fixture.open(login: 3, redirectURI: uri)
        #expect(first.redirectURI == uri)
        #expect(try fixture.onLoop(\.openPorts) == [first.port])
        for login in 1...3 { try fixture.ready(login: login, state: "state\(login)") }

        #expect(RawBrowser.get("/callback?state=state2", at: first)?.status == 403)
        #expect(RawBrowser.get(second.screenPath, at: second)?.status == 403)
        #expect(RawBrowser.get(first.screenPath, at: first)?.status == 200)
        try fixture.onLoop { $0.close(login: 1) }
        #expect(RawBrowser.get(first.screenPath, at: third)?.status == 404)
        #expect(RawBrowser.get("/callback?state=state1", at: third)?.status == 400)

        let browser = try #require(RawBrowser(port: third.port))
        browser.get("/callback?state=state3", host: third.authority)
        #expect(fixture.waitForCallback())
        #expect(try fixture.takeCallbacks().map(\.login) == [3])
        try fixture.onLoop { $0.close(login: 3) }
        #expect(RawBrowser(port: first.port) != nil)
        try fixture.onLoop { $0.close(login: 2) }
        #expect(RawBrowser(port: first.port) == nil)
    }

    @Test func aWindowIsToldOfTheEndWhileOthersShareThePort() throws {
        let fixture = try LoginFixture()
        let uri = "http://127.0.0.1:\(try Self.freePort())/callback"
        let login = try fixture.open(login: 1, redirectURI: uri)
        _ = try fixture.open(login: 2, redirectURI: uri)
        try fixture.ready(login: 1)
        let browser = try #require(RawBrowser(port: login.port))
        browser.get("/callback?state=the-state", host: login.authority)
        #expect(fixture.waitForCallback())
        try fixture.onLoop { $0.close(login: 1) }
        #expect(browser.answer()?.body.contains("ended") == true)
        #expect(RawBrowser(port: login.port) != nil)
    }

    @Test func aFixedPortCanBeOpenedAgainAtOnce() throws {
        let fixture = try LoginFixture()
        let uri = "http://127.0.0.1:\(try Self.freePort())/callback"
        for _ in 0..<5 {
            let login = try fixture.open(redirectURI: uri)
            #expect(RawBrowser.get(login.screenPath, at: login)?.status == 200)
            try fixture.onLoop { $0.close(login: 1) }
        }
    }

    @Test func aTakenPortIsSaid() throws {
        let fixture = try LoginFixture()
        let other = try ListenSocket.open(isIPv6: false, port: 0)
        let port = try ListenSocket.port(of: other.raw)
        #expect(throws: LoopbackFailure.portTaken(port)) {
            try fixture.open(redirectURI: "http://127.0.0.1:\(port)/callback")
        }
        #expect(throws: LoopbackFailure.portTaken(port)) {
            try fixture.open(redirectURI: "http://localhost:\(port)/callback")
        }
        #expect(try fixture.onLoop(\.openPorts).isEmpty)
    }

    @Test func whatCannotBeListenedOnIsSaid() throws {
        let fixture = try LoginFixture()
        for uri in ["https://127.0.0.1/callback", "javascript:alert(1)", "http://example.com/callback"] {
            #expect {
                try fixture.open(redirectURI: uri)
            } throws: {
                if case .unsupportedRedirectURI = $0 as? LoopbackFailure { true } else { false }
            }
        }
    }

    @Test(.enabled(if: ListenSocket.hasIPv6))
    func localhostIsListenedForOnBothAddresses() throws {
        let fixture = try LoginFixture()
        let login = try fixture.open(redirectURI: "http://localhost/callback")
        #expect(login.redirectURI == "http://localhost:\(login.port)/callback")
        try fixture.ready()
        #expect(RawBrowser.get(login.screenPath, at: login)?.status == 200)
        let browser = try #require(RawBrowser(port: login.port, .ipv6))
        browser.get("/callback?state=the-state", host: "localhost:\(login.port)")
        #expect(fixture.waitForCallback())
        try fixture.respond(.signedIn(name: "Ada"), thenClose: 1)
        #expect(browser.answer()?.body.contains("Ada") == true)
        #expect(RawBrowser(port: login.port) == nil)
        #expect(RawBrowser(port: login.port, .ipv6) == nil)
    }

    @Test(.enabled(if: ListenSocket.hasIPv6))
    func localhostTakenOnOneAddressIsTaken() throws {
        let fixture = try LoginFixture()
        let other = try ListenSocket.open(isIPv6: true, port: 0)
        let port = try ListenSocket.port(of: other.raw)
        #expect(throws: LoopbackFailure.portTaken(port)) {
            try fixture.open(redirectURI: "http://localhost:\(port)/callback")
        }
        #expect(RawBrowser(port: port) == nil)
    }

    @Test(.enabled(if: ListenSocket.hasIPv6))
    func theIPv6LoopbackWorks() throws {
        let fixture = try LoginFixture()
        let login = try fixture.open(redirectURI: "http://[::1]/callback")
        #expect(login.loginScreen.hasPrefix("http://[::1]:"))
        try fixture.ready()
        let browser = try #require(RawBrowser(port: login.port, .ipv6))
        browser.get(login.screenPath, host: "[::1]:\(login.port)")
        #expect(browser.answer()?.status == 200)
        #expect(RawBrowser(port: login.port) == nil)
    }
}
