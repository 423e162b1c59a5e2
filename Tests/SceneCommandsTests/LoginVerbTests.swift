import Foundation
import SceneModel
import SceneProtocol
import Testing
import TestSupport

@testable import SceneCommands

@Suite(.timeLimit(.minutes(1))) struct LoginVerbTests {
    private let login = ["login", "--app", "notes"]

    private static let showsCode = Fixture.progress(.presenting) {
        $0.userCode = "WDJB-MJHT"
        $0.verificationUri = "https://login.example.com/device"
        $0.verificationUriComplete = "https://login.example.com/device?user_code=WDJB-MJHT"
        $0.expiresInSeconds = 900
    }

    @Test func withNoBrowserWantedTheAddressIsPrinted() throws {
        let daemon = try FakeDaemon([
            Login.name: [Fixture.presenting, Fixture.progress(.authorizing), Fixture.signedIn]
        ])
        let outcome = try scenectl(login + ["--no-browser"], socket: daemon.path)
        #expect(outcome.code == 0)
        #expect(outcome.output == "Signed in as Ada Lovelace (ada) at https://login.example.com.\n")
        #expect(
            outcome.errors == """
                To sign in, open this address in your browser:
                  http://127.0.0.1:4711/k3y
                Waiting for you to sign in…
                You are back from the login host; fetching tokens…

                """)
        #expect(daemon.calls(of: Login.name).map(\.more) == [true])
        #expect(
            daemon.calls(of: Login.name).map(\.parameters)
                == [#"{"app":"notes","options":{"presentation":"browser"}}"#])
    }

    @Test func aLockIsToldAndWaitedFor() throws {
        let daemon = try FakeDaemon([
            LoginIfRequired.name: [Fixture.progress(.locked), Fixture.progress(.locked), Fixture.signedIn]
        ])
        let outcome = try scenectl(login + ["--if-required"], socket: daemon.path)
        #expect(outcome.code == 0)
        #expect(
            outcome.errors == """
                The session is locked. This goes on once it is unlocked.
                The session is locked; waiting for it to be unlocked…

                """)
    }

    @Test func aStateThatOnlyANewerScenedKnowsIsPassedOver() throws {
        let unknown = #"{"parameters":{"progress":{"state":"brandNew","new":1}},"continues":true}"#
        let daemon = try FakeDaemon([Login.name: [.text(unknown), Fixture.signedIn]])
        let outcome = try scenectl(login, socket: daemon.path)
        #expect(outcome.code == 0 && outcome.output.hasPrefix("Signed in as Ada Lovelace"))
    }

    @Test func optionsReachTheDaemon() throws {
        let daemon = try FakeDaemon([LoginIfRequired.name: [Fixture.signedIn]])
        let words = ["--if-required", "--device", "--host", "https://x", "--hint", "ada", "--force", "--timeout", "60"]
        #expect(try scenectl(login + words, socket: daemon.path).code == 0)
        #expect(
            daemon.calls(of: LoginIfRequired.name).map(\.parameters) == [
                #"{"app":"notes","options":{"presentation":"device","loginHost":"https://x","loginHint":"ada","force":true,"timeoutSeconds":60}}"#
            ])
    }

    @Test func whoIsSignedInAlreadyIsTold() throws {
        let daemon = try FakeDaemon([
            LoginIfRequired.name: [Fixture.progress(.alreadySignedIn, continues: false) { $0.account = Fixture.bob }]
        ])
        let outcome = try scenectl(login + ["--if-required"], socket: daemon.path)
        #expect(outcome.output == "Already signed in as bob at https://login.example.com.\n" && outcome.errors == "")
    }

    @Test(arguments: [(["--device"], ["DISPLAY": ":0"]), ([], [:])] as [([String], [String: String])])
    func aCodeForAnotherDeviceIsShown(_ words: [String], _ environment: [String: String]) throws {
        let daemon = try FakeDaemon([Login.name: [Self.showsCode, Fixture.signedIn]])
        let outcome = try scenectl(login + words, socket: daemon.path, environment: environment)
        #expect(outcome.code == 0)
        #expect(
            outcome.errors == """
                To sign in, open on any device
                  https://login.example.com/device
                and enter the code  WDJB-MJHT
                or open this address, which holds it:
                  https://login.example.com/device?user_code=WDJB-MJHT
                The code can be used for 15 min.
                Waiting for you to sign in…

                """)
        #expect(
            daemon.calls(of: Login.name).map(\.parameters)
                == [#"{"app":"notes","options":{"presentation":"device"}}"#])
    }

    @Test func aCodeThatAnotherWindowShowsIsShownToo() throws {
        let daemon = try FakeDaemon([
            Login.name: [
                Fixture.progress(.waiting) {
                    $0.userCode = "WDJB-MJHT"
                    $0.verificationUri = "https://login.example.com/device"
                }, Fixture.signedIn,
            ]
        ])
        let outcome = try scenectl(login + ["--device"], socket: daemon.path)
        #expect(outcome.errors.contains("  https://login.example.com/device\nand enter the code  WDJB-MJHT\n"))
    }

    @Test(arguments: ["noDeviceFlow", "unauthorized_client", "unsupported_grant_type", "invalid_client"])
    func withoutADeviceFlowABrowserDoes(_ code: String) throws {
        let daemon = try FakeDaemon([
            Login.name: [
                [.failure(.loginFailed(code: code, description: "no"))], [Fixture.presenting, Fixture.signedIn],
            ]
        ])
        let outcome = try scenectl(login, socket: daemon.path)
        #expect(outcome.code == 0)
        #expect(
            outcome.errors.hasPrefix(
                "The login host has no device flow for this app; a browser is needed.\n"
                    + "To sign in, open this address in your browser:\n"))
        #expect(
            daemon.calls(of: Login.name).map(\.parameters) == [
                #"{"app":"notes","options":{"presentation":"device"}}"#,
                #"{"app":"notes","options":{"presentation":"browser"}}"#,
            ])
    }

    @Test(
        arguments: [
            (["--device"], "noDeviceFlow", 1, "--no-browser"), ([], "access_denied", 77, "denied"),
            ([], "expired_token", 75, "in time"), ([], "loginInterrupted", 75, "scenectl login"),
            ([], "login_in_progress", 1, "--if-required"),
        ] as [([String], String, Int32, String)])
    func otherFailuresAreTheEnd(_ words: [String], _ code: String, _ exit: Int32, _ said: String) throws {
        let daemon = try FakeDaemon([Login.name: [.failure(.loginFailed(code: code, description: "why"))]])
        let outcome = try scenectl(login + words, socket: daemon.path)
        #expect(outcome.code == exit && outcome.errors.contains(said) && outcome.output == "")
        #expect(daemon.calls(of: Login.name).count == 1)
    }

    @Test func whatALoginHostSaysCannotActOnTheTerminal() throws {
        let daemon = try FakeDaemon([
            Login.name: [
                Fixture.progress(.presenting) {
                    $0.userCode = "A\u{1b}[2JB"
                    $0.verificationUri = "https://x/\u{1b}]0;t\u{7}"
                    $0.verificationUriComplete = "https://x/\u{9b}1m"
                }, Fixture.signedIn,
            ]
        ])
        let outcome = try scenectl(login + ["--device"], socket: daemon.path)
        #expect(!outcome.errors.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x9b })
    }

    @Test func jsonPrintsEachProgressOnALine() throws {
        let daemon = try FakeDaemon([Login.name: [Fixture.presenting, Fixture.signedIn]])
        let lines = try scenectl(login + ["--json"], socket: daemon.path).output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix(#"{"progress":{"state":"presenting","loginScreen":"http"#) == true)
        #expect(lines.last?.hasPrefix(#"{"progress":{"state":"signedIn","account":{"id":"a1""#) == true)
    }

    /// Runs with an xdg-open of our own, and lets the login end when `isOver` returns.
    private func opening(
        _ xdgOpen: String, words: [String] = [], _ environment: [String: String],
        isOver: (Program) -> Void
    ) throws -> Program.Outcome {
        let directory = NSTemporaryDirectory() + "bin-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        // Written by another process: a child of another test must not hold it open while it is run (ETXTBSY).
        let script = ["FILE": directory + "/xdg-open", "TEXT": "#!/bin/sh\n\(xdgOpen)"]
        try #require(shell(#"printf '%s\n' "$TEXT" >"$FILE" && chmod +x "$FILE""#, environment: script).code == 0)
        let daemon = try FakeDaemon([
            Login.name: [Fixture.presenting, .awaitCall("go"), Fixture.signedIn], "go": [.close],
        ])
        let environment = environment.merging(["PATH": directory + ":/usr/bin:/bin"]) { $1 }
        let program = try Program(login + words, socket: daemon.path, environment: environment)
        program.waitFor("127.0.0.1:4711")
        isOver(program)
        let second = try DaemonConnection(
            to: SocketPath(option: daemon.path, environment: [:]), refusal: Refusal(appOption: "", helpLine: ""))
        try second.send(Go.self, .init())
        return program.finish()
    }

    @Test(arguments: ["DISPLAY", "WAYLAND_DISPLAY"])
    func aDisplayGetsTheBrowser(_ variable: String) throws {
        let pipe = NSTemporaryDirectory() + "opened-" + UUID().uuidString
        try #require(mkfifo(pipe, 0o600) == 0)
        defer { unlink(pipe) }
        var opened: String?
        let outcome = try opening("echo \"$@\" >'\(pipe)'", [variable: ":0"]) { _ in
            let bytes = try? FileHandle(forReadingAtPath: pipe)?.readToEnd()
            opened = bytes.map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(outcome.code == 0)
        #expect(outcome.errors.contains("Your browser opens. If it does not, open:\n  http://127.0.0.1:4711/k3y\n"))
        #expect(opened == "http://127.0.0.1:4711/k3y\n")
    }

    @Test func anIdentityProviderThatIsAskedByAURLIsOpenedFirst() throws {
        let asking = Fixture.progress(.presenting) {
            $0.loginScreen = "http://127.0.0.1:4711/k3y"
            $0.identityProvider = "com.example.idp:"
            $0.identityProviderUri = "com.example.idp:/idp/authrequest?x"
        }
        let silent = Fixture.progress(.presenting) {
            $0.loginScreen = "http://127.0.0.1:4711/k3y"
            $0.reason = "identityProviderSilent"
        }
        let daemon = try FakeDaemon([Login.name: [asking, silent, Fixture.signedIn]])
        let outcome = try scenectl(["login", "--app", "notes", "--no-browser"], socket: daemon.path)
        #expect(
            outcome.errors.hasPrefix("To sign in, open this address in your browser:\n  http://127.0.0.1:4711/k3y\n"))
        #expect(outcome.errors.contains("does not answer; sign in at the login host"))
        #expect(outcome.code == 0)
    }

    @Test(arguments: [(["--no-browser"], ["DISPLAY": ":0"]), ([], ["DISPLAY": ""])] as [([String], [String: String])])
    func noBrowserIsOpenedWithoutADisplayOrAgainstTheUsersWish(
        _ words: [String], _ environment: [String: String]
    ) throws {
        let outcome = try opening("exit 3", words: words, environment) { _ in }
        #expect(outcome.errors.hasPrefix("To sign in, open this address in your browser:\n"))
    }

    @Test func aBrowserThatDoesNotOpenIsTold() throws {
        let outcome = try opening("exit 3", ["DISPLAY": ":0"]) { $0.waitFor("No browser could be opened") }
        #expect(outcome.code == 0)
    }

    @Test func overSshThePastedAddressIsHandedOver() throws {
        let daemon = try FakeDaemon([
            Login.name: [[Fixture.presenting, .awaitCall(HandleResponse.name, times: 2), Fixture.signedIn]],
            HandleResponse.name: [
                [.reply(HandleResponse.Reply(handled: false))], [.reply(HandleResponse.Reply(handled: true))],
            ],
        ])
        let program = try Program(
            login + ["--no-browser"], socket: daemon.path, environment: ["SSH_CONNECTION": "1.2.3.4 5 6.7.8.9 22"])
        program.waitFor("Then paste here")
        program.type("\n  http://127.0.0.1/wrong \r\n")
        program.waitFor("No login waits for that address")
        program.type("http://127.0.0.1:1/callback?code=c&state=s\n")
        let outcome = program.finish()
        #expect(outcome.code == 0)
        #expect(outcome.errors.contains("\n  https://login.example.com/authorize?state=s\n"))
        #expect(
            daemon.calls(of: HandleResponse.name).map(\.parameters) == [
                #"{"url":"http://127.0.0.1/wrong"}"#, #"{"url":"http://127.0.0.1:1/callback?code=c&state=s"}"#,
            ])
    }

    @Test func withoutSshStandardInputIsLeftAlone() throws {
        let daemon = try FakeDaemon([Login.name: [Fixture.presenting, Fixture.signedIn]])
        let outcome = try shell("(\"$CTL\" login --app notes >/dev/null 2>&1; cat) <<<rest", socket: daemon.path)
        #expect(outcome.output == "rest\n")
    }

    @Test func controlCEndsTheCall() throws {
        let daemon = try FakeDaemon([Login.name: [Fixture.presenting, .hang]])
        let program = try Program(login, socket: daemon.path)
        program.waitFor("Waiting for you")
        program.interrupt()
        let outcome = program.finish()
        #expect(outcome.code == 130 && outcome.output == "")
        daemon.waitForClose()
    }

    @Test func aTerminalShowsALiveLine() throws {
        let daemon = try FakeDaemon([Login.name: [Fixture.presenting, .hang]])
        let program = try Program(login, socket: daemon.path, environment: ["TERM": "xterm"], onTerminal: true)
        program.waitFor("\r\u{1b}[K\u{1b}[2mWaiting for you to sign in… 0:00")
        program.waitFor("\r\u{1b}[K\u{1b}[2mWaiting for you to sign in… 0:01")
        program.interrupt()
        let outcome = program.finish()
        #expect(outcome.code == 130 && outcome.output.hasSuffix("\r\u{1b}[K"))
    }

    @Test(arguments: ["0", "86401", "soon"])
    func anOddTimeoutIsAUsageError(_ text: String) throws {
        #expect(try scenectl(login + ["--timeout", text], socket: "/nowhere").code == 64)
    }

    @Test func aLoginWithoutAnOutcomeIsAFailure() throws {
        let daemon = try FakeDaemon([Login.name: [Fixture.progress(.waiting, continues: false)]])
        let outcome = try scenectl(login, socket: daemon.path)
        #expect(outcome.code == 1 && outcome.output == "")
    }
}
