import Foundation
import SceneModel
import SceneProtocol
import Testing
import TestSupport

@testable import SceneCommands

/// logout, switch and token, and how they find the app and the account.
@Suite(.timeLimit(.minutes(1))) struct ChangingVerbsTests {
    private func daemon(
        _ accounts: [Account] = [Fixture.ada, Fixture.bob], current: Account? = Fixture.ada,
        _ script: [String: [FakeDaemon.Step]] = [:]
    ) throws -> FakeDaemon {
        let result = LogoutResult(account: Fixture.ada, remote: .queued)
        let token = AccessToken(value: Secret("t0k3n"), type: "Bearer", account: Fixture.ada, expiresInSeconds: 300)
        return try FakeDaemon(
            script.merging([
                ListApps.name: [Fixture.apps(Fixture.app("notes"))],
                ListAccounts.name: [Fixture.accounts(accounts, current: current)],
                Logout.name: [.reply(Logout.Reply(result: result, at: Fixture.at))],
                LogoutAll.name: [.reply(LogoutAll.Reply(results: [result], at: Fixture.at))],
                SwitchAccount.name: [.reply(SwitchAccount.Reply(account: Fixture.bob, at: Fixture.at))],
                Lock.name: [.reply(Lock.Reply())], Unlock.name: [.reply(Unlock.Reply())],
                GetAccessToken.name: [.reply(GetAccessToken.Reply(token: token))],
            ]) { own, _ in own })
    }

    @Test(arguments: [
        (["logout"], #"{"app":"notes","account":"a1"}"#),
        (["logout", "bob@example.com"], #"{"app":"notes","account":"b2"}"#),
        (["logout", "b2", "--reason", "end of shift"], #"{"app":"notes","account":"b2","reason":"end of shift"}"#),
        (["logout", "gone"], #"{"app":"notes","account":"gone"}"#),
    ])
    func logoutAlwaysNamesTheAccount(_ words: [String], _ parameters: String) throws {
        let daemon = try daemon()
        let outcome = try scenectl(words, socket: daemon.path)
        #expect(daemon.calls(of: Logout.name).map(\.parameters) == [parameters])
        #expect(
            outcome.output
                == "Signed out Ada Lovelace (ada); the login host will be told when it can be reached.\n")
        #expect(outcome.code == 0)
    }

    @Test func logoutOfNobodyNeedsALogin() throws {
        let daemon = try daemon([], current: nil)
        let outcome = try scenectl(["logout"], socket: daemon.path)
        #expect(outcome.code == 4 && outcome.errors == "scenectl: Nobody is signed in. Try: scenectl login\n")
        #expect(daemon.calls(of: Logout.name).isEmpty)
    }

    @Test func logoutWithoutACurrentAccountAsksWhich() throws {
        let daemon = try daemon(current: nil)
        let outcome = try scenectl(["logout", "--app", "notes"], socket: daemon.path)
        #expect(outcome.code == 64)
        #expect(
            outcome.errors == "scenectl: No account is the current one (a1: Ada Lovelace (ada), b2: bob). "
                + "Try: scenectl logout --app notes a1\n")
        #expect(daemon.calls(of: Logout.name).isEmpty)
    }

    @Test(arguments: [
        (["lock"], Lock.name, "Locked. Unlock: scenectl unlock --app notes\n"),
        (["unlock"], Unlock.name, "Unlocked.\n"),
        (["lock", "--json"], Lock.name, "{}\n"), (["unlock", "--json"], Unlock.name, "{}\n"),
    ])
    func lockingTellsHowToUnlock(_ words: [String], _ method: String, _ output: String) throws {
        let daemon = try daemon()
        let outcome = try scenectl(words, socket: daemon.path)
        #expect(outcome.code == 0 && outcome.output == output && outcome.errors == "")
        #expect(daemon.calls(of: method).map(\.parameters) == [#"{"app":"notes"}"#])
    }

    @Test func anAmbiguousAccountChangesNothing() throws {
        var twin = Fixture.ada
        twin.id = "x9"
        let daemon = try daemon([Fixture.ada, twin])
        for verb in ["logout", "switch"] {
            let outcome = try scenectl([verb, "ada"], socket: daemon.path)
            #expect(outcome.code == 64 && outcome.errors.contains("a1: Ada Lovelace (ada), x9: Ada Lovelace (ada)"))
        }
        #expect(daemon.calls(of: Logout.name).isEmpty && daemon.calls(of: SwitchAccount.name).isEmpty)
    }

    @Test func logoutAllIsOneCall() throws {
        let daemon = try daemon()
        let outcome = try scenectl(["logout", "--all", "--reason", "x"], socket: daemon.path)
        #expect(outcome.code == 0)
        #expect(daemon.calls(of: LogoutAll.name).map(\.parameters) == [#"{"app":"notes","reason":"x"}"#])
        #expect(daemon.calls(of: Logout.name).isEmpty)
        #expect(try scenectl(["logout", "--all", "ada"], socket: daemon.path).code == 64)
    }

    @Test(arguments: [
        (LogoutResult.Remote.revoked, "the login host has revoked the tokens"),
        (.unsupported, "the login host offers no revocation"),
    ])
    func logoutTellsWhatTheLoginHostDid(_ remote: LogoutResult.Remote, _ text: String) {
        let result = LogoutResult(account: Fixture.bob, remote: remote, endSessionUri: "https://login.example.com/end")
        #expect(
            LogoutVerb.lines(result) == [
                "Signed out bob; \(text).",
                "To end the browser's session there too, open https://login.example.com/end",
            ])
    }

    /// A daemon whose logout of all gives these addresses, and what xdg-open was called with, one line each.
    private func openedAfterLogout(
        _ addresses: [String?], _ xdgOpen: String = "", _ words: [String] = [], display: String = ":0"
    ) throws -> (Program.Outcome, opened: [String]) {
        let results = addresses.map { LogoutResult(account: Fixture.ada, remote: .queued, endSessionUri: $0) }
        let daemon = try daemon(
            [Fixture.ada], [LogoutAll.name: [.reply(LogoutAll.Reply(results: results, at: Fixture.at))]])
        let line = #"""
            bin=$(mktemp -d) && trap 'rm -r "$bin"' EXIT
            printf '#!/bin/sh\necho "$*" >>"${0%%/*}/opened"\n%s\n' "$OPENS" >"$bin/xdg-open" && chmod +x "$bin/xdg-open"
            touch "$bin/opened"
            PATH=$bin:$PATH "$CTL" logout --all --browser $WORDS || exit
            echo ==; cat "$bin/opened"
            """#
        let environment = ["DISPLAY": display, "OPENS": xdgOpen, "WORDS": words.joined(separator: " ")]
        let outcome = try shell(line, socket: daemon.path, environment: environment)
        let parts = outcome.output.components(separatedBy: "==\n")
        return (outcome, parts.count == 2 ? parts[1].split(separator: "\n").map(String.init) : [])
    }

    @Test func logoutOpensTheBrowserOnceForEachHost() throws {
        let end = "https://login.example.com/end?theme=dark&id_token_hint=a.b.c&client_id=scene&state="
        let (outcome, opened) = try openedAfterLogout([end + "1", end + "2", nil, "https://other.example/end?state=3"])
        #expect(outcome.code == 0 && outcome.errors == "")
        // All users of the machine can read the arguments: no ID token.
        #expect(
            opened == [
                "https://login.example.com/end?theme=dark&client_id=scene&state=1", "https://other.example/end?state=3",
            ])
        #expect(outcome.output.contains("open \(end)1\n") && outcome.output.contains("open \(end)2\n"))
    }

    @Test(
        arguments: [
            (
                ["https://login.example.com/end?state=1"], "exit 3", ":0",
                "No browser could be opened; open the address yourself."
            ),
            (["https://login.example.com/end?state=1"], "", "", "There is no display to open a browser on."),
            ([nil], "", ":0", "The login host offers no logout in a browser."), ([], "", ":0", ""),
            (["javascript:alert(1)"], "", ":0", "No browser could be opened; open the address yourself."),
        ] as [([String?], String, String, String)])
    func aBrowserThatIsNotOpenedIsTold(_ uris: [String?], _ opens: String, _ display: String, _ told: String) throws {
        let (outcome, opened) = try openedAfterLogout(uris, opens, display: display)
        #expect(outcome.code == 0 && outcome.errors == (told.isEmpty ? "" : told + "\n"))
        #expect(opened.isEmpty == (opens.isEmpty))
    }

    @Test func jsonStaysJSONWithABrowser() throws {
        let (outcome, opened) = try openedAfterLogout(["https://login.example.com/end?state=1"], "", ["--json"])
        #expect(outcome.output.hasPrefix(#"{"results":[{"account":{"id":"a1","#) && outcome.errors == "")
        #expect(opened == ["https://login.example.com/end?state=1"])
    }

    @Test func switchTellsWhoIsCurrent() throws {
        let daemon = try daemon()
        let outcome = try scenectl(["switch", "bob"], socket: daemon.path)
        #expect(outcome.code == 0 && outcome.output == "The current user is bob.\n")
        #expect(daemon.calls(of: SwitchAccount.name).map(\.parameters) == [#"{"app":"notes","account":"b2"}"#])
        let json = try scenectl(["switch", "bob", "--json"], socket: daemon.path)
        #expect(json.output.hasPrefix(#"{"account":{"id":"b2","#))
    }

    @Test func tokenIsAllThatIsPrinted() throws {
        let daemon = try daemon()
        let outcome = try scenectl(["token"], socket: daemon.path)
        #expect(outcome.output == "t0k3n\n" && outcome.errors == "" && outcome.code == 0)
        #expect(daemon.calls(of: GetAccessToken.name).map(\.parameters) == [#"{"app":"notes"}"#])
        let json = try scenectl(["token", "--json"], socket: daemon.path)
        #expect(json.output.hasPrefix(#"{"token":{"value":"t0k3n","type":"Bearer","account":{"id":"a1","#))
    }

    @Test func tokenOptionsReachTheDaemon() throws {
        let daemon = try daemon()
        let words = ["token", "--account", "bob", "--minimum-validity=120", "--scope", "a b", "--audience", "urn:x"]
        let outcome = try scenectl(words + ["--rejected-stdin"], socket: daemon.path, input: "0ld\n")
        #expect(outcome.code == 0)
        #expect(
            daemon.calls(of: GetAccessToken.name).map(\.parameters) == [
                #"{"app":"notes","account":"b2","minimumValiditySeconds":120,"rejected":"0ld","scope":"a b","audience":"urn:x"}"#
            ])
    }

    @Test func anEmptyRejectedTokenIsAUsageError() throws {
        let outcome = try scenectl(["token", "--rejected-stdin"], socket: "/nowhere")
        #expect(outcome.code == 64)
    }

    @Test(
        arguments: [
            (["accounts", "--app", "mail"], ["SCENED_APP": "notes"], "mail"),
            (["accounts"], ["SCENED_APP": "cal"], "cal"),
            (["accounts"], ["SCENED_APP": ""], "notes"), (["accounts"], [:], "notes"),
        ] as [([String], [String: String], String)])
    func theAppIsNamedOrTheOnlyOne(_ words: [String], _ environment: [String: String], _ app: String) throws {
        let daemon = try daemon()
        _ = try scenectl(words, socket: daemon.path, environment: environment)
        #expect(daemon.calls(of: ListAccounts.name).map(\.parameters) == [#"{"app":"\#(app)"}"#])
    }

    @Test func severalAppsAreNamedAndNoneIsAnError() throws {
        let several = try FakeDaemon([ListApps.name: [Fixture.apps(Fixture.app("notes"), Fixture.app("mail"))]])
        let outcome = try scenectl(["token"], socket: several.path)
        #expect(outcome.code == 64)
        #expect(
            outcome.errors
                == "scenectl: Several apps are configured (notes, mail). Try: scenectl token --app notes\n")
        let none = try FakeDaemon([ListApps.name: [Fixture.apps()]])
        #expect(try scenectl(["token"], socket: none.path).code == 78)
    }
}
