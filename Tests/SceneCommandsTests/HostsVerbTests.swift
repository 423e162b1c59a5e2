import SceneModel
import SceneProtocol
import Testing
import TestSupport

@testable import SceneCommands

/// hosts, and open with its desktop entry.
@Suite(.timeLimit(.minutes(1))) struct HostsVerbTests {
    private func daemon(handled: Bool = true, open: String? = nil) throws -> FakeDaemon {
        var screen = LoginScreen()
        screen.loginHosts = [
            LoginHost(url: "https://m.example", label: "Managed \u{1b}[31m", origin: .managed),
            LoginHost(url: "https://own.example", label: "https://own.example", origin: .user, selected: true),
        ]
        let own = LoginHost(url: "https://own.example", label: "Own", origin: .user, removable: true)
        return try FakeDaemon([
            ListApps.name: [Fixture.apps(Fixture.app("notes"))],
            GetLoginScreen.name: [.reply(GetLoginScreen.Reply(screen: screen))],
            AddLoginHost.name: [.reply(AddLoginHost.Reply(loginHost: own))],
            RemoveLoginHost.name: [.reply(RemoveLoginHost.Reply())],
            SelectLoginHost.name: [.reply(SelectLoginHost.Reply())],
            HandleResponse.name: [.reply(HandleResponse.Reply(handled: handled, open: open))],
        ])
    }

    @Test func theListIsATable() throws {
        let outcome = try scenectl(["hosts", "list"], socket: daemon().path)
        let lines = outcome.output.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        #expect(lines.count == 3 && lines[0] == "LABEL SET BY URL")
        #expect(lines[1].hasSuffix("administrator https://m.example") && !lines[1].contains("\u{1b}"))
        #expect(lines[2] == "* you https://own.example")
        #expect(outcome.code == 0)
    }

    @Test(arguments: [
        (
            ["hosts", "add", "own.example", "--label", "Own"], AddLoginHost.name,
            #"{"app":"notes","url":"own.example","label":"Own"}"#, "https://own.example is a login host of the app.\n"
        ),
        (
            ["hosts", "remove", "own.example"], RemoveLoginHost.name, #"{"app":"notes","url":"own.example"}"#,
            "own.example is no longer a login host of the app.\n"
        ),
        (
            ["hosts", "select", "own.example"], SelectLoginHost.name, #"{"app":"notes","url":"own.example"}"#,
            "Logins go to own.example.\n"
        ),
        (
            ["hosts", "select", "own.example", "--json"], SelectLoginHost.name, #"{"app":"notes","url":"own.example"}"#,
            "{}\n"
        ),
    ])
    func oneIsChanged(words: [String], method: String, parameters: String, output: String) throws {
        let daemon = try daemon()
        let outcome = try scenectl(words, socket: daemon.path)
        #expect(daemon.calls(of: method).map(\.parameters) == [parameters])
        #expect(outcome.output == output && outcome.code == 0)
    }

    @Test(arguments: [["hosts"], ["hosts", "add"], ["hosts", "lst"], ["open"], ["open", "x:y", "z"]])
    func whatIsMissingIsSaid(words: [String]) throws {
        let outcome = try scenectl(words, socket: daemon().path)
        #expect(outcome.code == 64 && outcome.errors.contains("Try: scenectl"))
    }

    @Test func aResponseIsHandedOver() throws {
        let daemon = try daemon()
        let outcome = try scenectl(
            ["open", "com.example.notes:/cb?code=1&state=2", "--scene", "s1"], socket: daemon.path)
        #expect(
            daemon.calls(of: HandleResponse.name).map(\.parameters)
                == [#"{"url":"com.example.notes:/cb?code=1&state=2","scene":"s1"}"#])
        #expect(outcome.output == "The login goes on.\n" && outcome.code == 0)
    }

    @Test func whatAnswersAMessageIsToBeOpened() throws {
        let answer = "com.example.mail:/idp/error?error=no_identity_provider_scene"
        let outcome = try scenectl(["open", "com.example.notes:/idp/authrequest?x"], socket: daemon(open: answer).path)
        #expect(outcome.output.hasSuffix("open this address on its desktop:\n  \(answer)\n") && outcome.code == 0)
    }

    @Test func oneThatNobodyWaitsForFails() throws {
        let outcome = try scenectl(
            ["open", "com.example.notes:/cb?state=2", "--json"], socket: daemon(handled: false).path)
        #expect(outcome.output == "{\"handled\":false}\n" && outcome.code == 1)
        #expect(outcome.errors.contains("No login waits"))
    }

    @Test(arguments: [
        "", "callback", "/cb?state=1", "1a:/b", "a b:/c", "a:/b c", "a:/b\u{1b}[31m", "a:/b\nc", "é:/x",
        "com.example.notes:/cb?code=" + String(repeating: "x", count: 33_000),
    ])
    func whatIsNoURLGoesNowhere(url: String) throws {
        let daemon = try daemon()
        let outcome = try scenectl(["open", url], socket: daemon.path)
        #expect(outcome.code == 64 && !outcome.errors.contains("\u{1b}") && outcome.errors.utf8.count < 500)
        #expect(daemon.calls(of: HandleResponse.name).isEmpty)
    }

    @Test func aSchemeIsRegisteredByItsDesktopEntry() throws {
        let outcome = try scenectl(["open", "--desktop-entry", "Com.Example.Notes"], socket: "/nowhere")
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.first == "[Desktop Entry]")
        #expect(lines.contains("MimeType=x-scheme-handler/com.example.notes;"))
        #expect(lines.contains { $0.hasPrefix("Exec=/") && $0.hasSuffix("open %u") })
    }

    @Test(arguments: ["http", "javascript", "", "a.b;text/html", "a.b\nExec=x", "1.a"])
    func noOtherSchemeIs(scheme: String) throws {
        let outcome = try scenectl(["open", "--desktop-entry", scheme], socket: "/nowhere")
        #expect(outcome.code == 64 && outcome.output.isEmpty)
    }
}
