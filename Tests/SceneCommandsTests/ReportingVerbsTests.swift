import SceneModel
import SceneProtocol
import Testing
import TestSupport

@testable import SceneCommands

/// The verbs that only tell: status, apps, scenes, accounts, reload.
@Suite(.timeLimit(.minutes(1))) struct ReportingVerbsTests {
    private static func status() -> ServiceStatus {
        var status = ServiceStatus()
        status.version = "0.1.0"
        status.uptimeSeconds = 11_520
        status.scenes = 12
        status.restoredScenes = 10
        status.accounts = 2
        status.sessions = 1
        status.storage = "/state/scened.db"
        status.keySource = "file"
        status.problems = ["row 3 set aside"]
        return status
    }

    private static func revocation() -> RevocationInfo {
        var revocation = RevocationInfo()
        revocation.app = "notes"
        revocation.loginHost = "https://login.example.com"
        revocation.reason = "logout"
        revocation.attempts = 3
        revocation.nextAttemptSeconds = 90
        return revocation
    }

    private func daemon() throws -> FakeDaemon {
        try FakeDaemon([
            GetStatus.name: [[.reply(Self.status())]],
            ListApps.name: [[Fixture.apps(Fixture.app("notes"), Fixture.app("mail"))]],
            ListRevocations.name: [[.reply(ListRevocations.Reply(revocations: [Self.revocation()]))]],
            ListAccounts.name: [
                [Fixture.accounts([Fixture.ada, Fixture.bob], current: Fixture.ada)],
                [.send(Failure.accessDenied(reason: "not an allowed unit").message)],
            ],
        ])
    }

    @Test func statusTellsEverythingToPeople() throws {
        let outcome = try scenectl(["status"], socket: try daemon().path)
        #expect(
            outcome.output == """
                scened 0.1.0, running for 3 h 12 min
                  Scenes        12 (10 kept through the last restart)
                  Accounts      2 in 1 session
                  Logins        0 under way
                  Storage       /state/scened.db
                  Sealing key   from a file
                  Problem       row 3 set aside

                APP    CURRENT USER        STATE                                ACCOUNTS
                notes  Ada Lovelace (ada)  active                                      2
                mail                       scened refuses: not an allowed unit

                APP    TO BE REVOKED AT   REASON  TRIES  NEXT TRY
                notes  login.example.com  logout      3  in 1 min 30 s

                """)
        #expect(outcome.code == 0 && outcome.errors == "")
    }

    @Test func statusIsOneDocument() throws {
        let outcome = try scenectl(["status", "--json", "--app", "notes"], socket: try daemon().path)
        #expect(outcome.output.hasPrefix(#"{"status":{"version":"0.1.0","uptimeSeconds":11520,"#))
        #expect(outcome.output.contains(#""apps":[{"name":"notes","#))
        #expect(outcome.output.contains(#""revocations":[{"app":"notes","#))
        #expect(outcome.output.contains(#""sessions":[{"app":"notes","accounts":[{"id":"a1","#))
        #expect(outcome.output.count { $0 == "\n" } == 1)
    }

    @Test func accountsMarksTheCurrentOne() throws {
        let daemon = try FakeDaemon([
            ListAccounts.name: [Fixture.accounts([Fixture.ada, Fixture.bob, Fixture.wide], current: Fixture.bob)]
        ])
        let outcome = try scenectl(["accounts", "--app", "notes"], socket: daemon.path)
        #expect(
            outcome.output == """
                   ACCOUNT  NAME          STATE           LOGIN HOST         ID
                   ada      Ada Lovelace  active          login.example.com  a1
                *  bob                    degraded        login.example.com  b2
                   東京                   login required  test.example.com   c3

                """)
        #expect(outcome.code == 0)
    }

    @Test func accountsOfNobodySaysWhatToDo() throws {
        let daemon = try FakeDaemon([ListAccounts.name: [Fixture.accounts([], current: nil)]])
        let outcome = try scenectl(["accounts", "--app", "notes"], socket: daemon.path)
        #expect(outcome.output == "Nobody is signed in. Try: scenectl login --app notes\n")
    }

    @Test func textFromOutsideCannotActOnTheTerminal() throws {
        var account = Fixture.ada
        account.displayName = "\u{1b}]0;x\u{7}\u{202e}eve\u{9b}31m"
        let daemon = try FakeDaemon([ListAccounts.name: [Fixture.accounts([account], current: account)]])
        let table = try scenectl(["accounts", "--app", "notes"], socket: daemon.path, onTerminal: true).output
        #expect(table.contains("\\x1b]0;x\\x07\\u202eeve\\x9b31m"))
        let json = try scenectl(["accounts", "--app", "notes", "--json"], socket: daemon.path).output
        #expect(json.contains(#""displayName":"\u001b]0;x\u0007\u202eeve\u009b31m""#))
    }

    @Test func jsonIsWhatScenedSaidOnOneLine() throws {
        let daemon = try FakeDaemon([
            ListAccounts.name: [
                .text(
                    "{ \"parameters\" : { \"accounts\": [], \"at\":\n{\"epoch\":\"e\",\"sequence\":1}, \"new\": 1.50 } }"
                )
            ]
        ])
        let outcome = try scenectl(["accounts", "--app", "notes", "--json"], socket: daemon.path)
        #expect(outcome.output == #"{"accounts":[],"at":{"epoch":"e","sequence":1},"new":1.50}"# + "\n")
    }

    @Test func scenesAreListed() throws {
        var scene = SceneInfo()
        scene.app = "notes"
        scene.id = "w1"
        scene.title = "Inbox"
        scene.uid = 1000
        scene.pid = 4242
        scene.activation = .foreground
        scene.connectedSeconds = 61
        let daemon = try FakeDaemon([ListScenes.name: [.reply(ListScenes.Reply(scenes: [scene]))]])
        let outcome = try scenectl(["scenes", "--app", "notes"], socket: daemon.path)
        #expect(
            outcome.output == """
                APP    SCENE  TITLE   PID  ACTIVATION  CONNECTED  BACKLOG
                notes  w1     Inbox  4242  foreground  1 min 1 s        0

                """)
        #expect(daemon.calls(of: ListScenes.name).first?.parameters == #"{"app":"notes"}"#)
    }

    @Test func scenesOfSeveralUsersShowWhose() throws {
        var (one, other) = (SceneInfo(), SceneInfo())
        (one.uid, other.uid) = (0, 1000)
        let lines = ScenesVerb.table([one, other]).lines(for: .init())
        #expect(lines[0].contains("UID"))
    }

    @Test func appsShowTheirProblems() throws {
        let apps = Fixture.apps(Fixture.app("notes"), Fixture.app("mail", problems: ["mail.conf:3: no URL"]))
        let daemon = try FakeDaemon([ListApps.name: [apps], Reload.name: [apps]])
        let expected = """
            APP    NAME   PROBLEMS  SOURCE
            notes  Notes         0  /etc/scened/apps.d/notes.conf
            mail   Mail          1  /etc/scened/apps.d/mail.conf

            mail: mail.conf:3: no URL

            """
        let listed = try scenectl(["apps"], socket: daemon.path)
        #expect(listed.output == expected && listed.code == 0)
        let reloaded = try scenectl(["reload"], socket: daemon.path)
        #expect(reloaded.output == expected && reloaded.code == 78)
        #expect(
            reloaded.errors == "scenectl: The configuration has problems (mail). Try: scened --check-config\n")
        let one = try scenectl(["apps", "--app", "notes", "--json"], socket: daemon.path)
        #expect(one.output.hasPrefix(#"{"apps":[{"name":"notes","#) && !one.output.contains("mail"))
        let unknown = try scenectl(["apps", "--app", "nots"], socket: daemon.path)
        #expect(unknown.code == 78 && unknown.errors == "scenectl: No app 'nots' is configured. Try: scenectl apps\n")
    }

    @Test(arguments: [([:], true), (["NO_COLOR": "1"], false)] as [([String: String], Bool)])
    func coloursAreForTerminalsWithoutNoColor(_ environment: [String: String], _ coloured: Bool) throws {
        let daemon = try FakeDaemon([ListAccounts.name: [Fixture.accounts([Fixture.ada], current: Fixture.ada)]])
        let environment = environment.merging(["TERM": "xterm"]) { $1 }
        let words = ["accounts", "--app", "notes"]
        let onTerminal = try scenectl(words, socket: daemon.path, environment: environment, onTerminal: true)
        #expect(onTerminal.output.contains("\u{1b}[32m") == coloured)
        let piped = try scenectl(words, socket: daemon.path, environment: environment)
        #expect(!piped.output.contains("\u{1b}"))
    }
}
