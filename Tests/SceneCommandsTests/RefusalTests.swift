import SceneModel
import SceneProtocol
import Testing
import TestSupport

@testable import SceneCommands

@Suite(.timeLimit(.minutes(1))) struct RefusalTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var failure: Failure
        var code: Int32
        var sentence: String
        var testDescription: String { failure.errorName }

        init(_ failure: Failure, _ code: Int32, _ sentence: String) {
            self.failure = failure
            self.code = code
            self.sentence = sentence
        }
    }

    static let cases = [
        Case(.unknownApp("notes"), 78, "No app 'notes' is configured. Try: scenectl apps"),
        Case(.unknownScene("w1"), 1, "No scene 'w1' is connected. Try: scenectl scenes"),
        Case(.unknownAccount("x"), 1, "No account 'x' is signed in. Try: scenectl accounts --app notes"),
        Case(.unknownLoginHost("u"), 1, "'u' is not a login host of the app. Try: scenectl hosts list --app notes"),
        Case(
            .loginHostNotRemovable("u"), 77,
            "'u' is the app's or the administrator's; only your own can be removed. "
                + "Try: scenectl hosts list --app notes"),
        Case(
            .invalidLoginHost(url: "u", reason: "not https"), 1,
            "'u' cannot be a login host: not https. Try: scenectl hosts list --app notes"),
        Case(.sceneInUse("w1"), 1, "Another process is the scene 'w1'. Try: scenectl scenes"),
        Case(.notSignedIn, 4, "Nobody is signed in. Try: scenectl login --app notes"),
        Case(
            .interactionRequired(reason: "consent"), 4,
            "The user has to sign in: consent. Try: scenectl login --app notes"),
        Case(.loginCancelled, 77, "The login was cancelled. Try: scenectl login --app notes"),
        Case(.loginTimedOut, 75, "Nobody signed in in time. Try: scenectl login --app notes --timeout SECONDS"),
        Case(
            .loginFailed(code: "server_error", description: "oops"), 1,
            "The login failed: oops (server_error). Try: scenectl login --app notes"),
        Case(
            .loginFailed(code: "invalid_id_token", description: "lacks sub"), 1,
            "The login host's answer is not in order: lacks sub (invalid_id_token). Try: scenectl status"),
        Case(
            .loginFailed(code: "invalid_client", description: nil), 78,
            "The login host does not accept the app: invalid_client. Try: scenectl apps"),
        Case(
            .loginFailed(code: "clientCredentialUnusable", description: "s is empty"), 78,
            "The app cannot show the login host who it is: s is empty (clientCredentialUnusable). "
                + "Try: scened --check-config"),
        Case(
            .loginFailed(code: "access_denied", description: nil), 77,
            "The login host or the user denied the login. Try: scenectl login --app notes"),
        Case(
            .loginFailed(code: "login_in_progress", description: nil), 1,
            "Another login is under way. Try: scenectl login --app notes --if-required"),
        Case(
            .loginHostUnavailable(retryAfterSeconds: 90), 75,
            "The login host cannot be reached or is overloaded, and asks to wait 1 min 30 s. Try: scenectl status"),
        Case(
            .storageUnavailable(reason: "disk full."), 75,
            "scened cannot read or write its state: disk full. Try: scenectl status"),
        Case(.sessionLocked, 77, "The session is locked. Try: scenectl unlock --app notes"),
        Case(.accessDenied(reason: "\u{1b}[2J"), 77, "scened refuses: \\x1b[2J. Try: scenectl apps"),
        Case(
            .quotaExceeded(resource: "scenes", limit: 1024), 75,
            "scened allows you 1024 scenes at the most ([Quota] in scened.conf). Try: scenectl scenes"),
        Case(
            .quotaExceeded(resource: "connections", limit: 8), 75,
            "scened allows you 8 connections at the most ([Quota] in scened.conf). Try: sudo scenectl scenes"),
        Case(
            .quotaExceeded(resource: "descriptors", limit: 960), 75,
            "All users together have the 960 connections that there can be (LimitNOFILE= of scened). "
                + "Try: sudo scenectl scenes"),
    ]

    @Test(arguments: cases)
    func eachErrorIsOneSentenceAndAnExitCode(_ example: Case) {
        let failure = Refusal(appOption: " --app notes", helpLine: "").describe(example.failure)
        #expect(failure.description == example.sentence)
        #expect(failure.exitCode.rawValue == example.code)
    }

    private static let verbs: [(words: [String], method: String)] = [
        (["accounts"], ListAccounts.name), (["login", "--no-browser"], Login.name),
        (["login", "--if-required", "--no-browser"], LoginIfRequired.name),
        (["logout", "a1"], Logout.name), (["logout", "--all"], LogoutAll.name), (["switch", "a1"], SwitchAccount.name),
        (["token"], GetAccessToken.name), (["watch"], ConnectScene.name), (["watch", "--all"], Monitor.name),
        (["scenes"], ListScenes.name), (["apps"], ListApps.name), (["reload"], Reload.name),
        (["status"], GetStatus.name),
    ]

    @Test(arguments: verbs)
    func everyVerbTellsEachError(_ words: [String], _ method: String) throws {
        let scripts = Self.cases.map { [FakeDaemon.Step.send($0.failure.managerMessage)] }
        let accounts = Fixture.accounts([Fixture.ada], current: Fixture.ada)
        let daemon = try FakeDaemon([ListAccounts.name: [[accounts]]].merging([method: scripts]) { $1 })
        for example in Self.cases {
            let outcome = try scenectl(words + ["--app", "notes"], socket: daemon.path)
            #expect(outcome.errors == "scenectl: \(example.sentence)\n")
            #expect(outcome.code == example.code && outcome.output == "")
        }
    }

    @Test(arguments: [
        (#"{"error":"org.varlink.service.MethodNotFound","parameters":{"method":"x"}}"#, "is older than this scenectl"),
        (#"{"error":"com.example.\u001b[2J"}"#, "answered with the error 'com.example.\\x1b[2J'"),
        (
            #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"scope"}}"#,
            "does not accept the value of 'scope'. Try: scenectl token --help"
        ),
    ])
    func errorsThatAreNotOursAreToldToo(_ frame: String, _ text: String) throws {
        let daemon = try FakeDaemon([GetAccessToken.name: [.text(frame)]])
        let outcome = try scenectl(["token", "--app", "notes"], socket: daemon.path)
        #expect(outcome.code == 1 && outcome.errors.contains(text))
    }
}
