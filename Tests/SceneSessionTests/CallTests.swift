import SceneModel
import SceneProtocol
import TestSupport
import Testing
import Varlink

@testable import SceneSession

/// Calls against a daemon that answers by a script.
@Suite(.timeLimit(.minutes(1))) struct CallTests {
    @Test func aLostCallIsMadeAgainWhereThatIsSafe() async throws {
        let daemon = try FakeDaemon([
            connectScene: [[Fixture.snapshot()]],
            listAccounts: [
                [.close], [.send(Array(#"{"parameters":{"acc"#.utf8)), .close], [Fixture.accounts(1, [Fixture.ada])],
            ],
        ])
        let scene = try await daemon.scene()
        #expect(try await scene.accounts().current == Fixture.ada)
        #expect(daemon.calls(of: listAccounts).count == 3)
    }

    @Test func aLostCallThatIsNotSafeIsNotMadeAgain() async throws {
        let daemon = try FakeDaemon([
            connectScene: [Fixture.snapshot()], Login.name: [.close], LogoutAll.name: [.close],
            RemoveLoginHost.name: [.close], loginIfRequired: [.close],
        ])
        let scene = try await daemon.scene()
        await #expect(throws: SceneError.connectionLost) { try await scene.login { _ in } }
        await #expect(throws: SceneError.connectionLost) { try await scene.logoutAll() }
        await #expect(throws: SceneError.connectionLost) { try await scene.removeLoginHost(url: "https://x") }
        var options = LoginOptions()
        options.force = true
        await #expect(throws: SceneError.connectionLost) { try await scene.loginIfRequired(options: options) { _ in } }
        for method in [Login.name, LogoutAll.name, RemoveLoginHost.name, loginIfRequired] {
            #expect(daemon.calls(of: method).count == 1)
        }
    }

    /// A login that stood at each of its points when the connection was lost has one outcome.
    @Test(arguments: [
        [FakeDaemon.Step.close], [Fixture.presenting("http://127.0.0.1:1/a"), .close],
        [.send(Array(#"{"parameters":{"progress":{"state":"sig"#.utf8)), .close],
        [.text(#"{"parameters":{"progress":{"state":"dancing"}},"continues":true}"#), .close],
    ])
    func aLostLoginHasOneOutcome(_ lost: [FakeDaemon.Step]) async throws {
        let daemon = try FakeDaemon([
            connectScene: [[Fixture.snapshot(1), Fixture.userChange(2, to: Fixture.ada)]],
            loginIfRequired: [lost, lost, [Fixture.signedIn(2)]],
        ])
        let scene = try await daemon.scene()
        let tally = Tally()
        await MainActor.run {
            AuthHelper.loginIfRequired(scene) { (result: Result<Account, SceneError>) in tally.add("\(result)") }
        }
        await tally.reaches(1)
        await blocksHaveRun()
        #expect(tally.entries == ["\(Result<Account, SceneError>.success(Fixture.ada))"])
        #expect(daemon.calls(of: loginIfRequired).count == 3)
    }

    /// The caller's time counts from its call, not from when that was made again.
    @Test(arguments: [nil, 1]) func aLostLoginsTimeGoesOn(_ timeout: Int?) async throws {
        let gate = Gate()
        let daemon = try FakeDaemon([
            connectScene: [[Fixture.snapshot(1)]],
            loginIfRequired: [
                [Fixture.presenting("http://127.0.0.1:1/a"), .awaitGate(gate), .close], [Fixture.signedIn(1)],
            ],
        ])
        let scene = try await daemon.scene()
        var options = LoginOptions()
        options.timeoutSeconds = timeout
        let began = ContinuousClock.now
        let login = Task { [options] in try await scene.loginIfRequired(options: options) { _ in } }
        await daemon.called(loginIfRequired)
        let second = ContinuousClock.now.advanced(by: .milliseconds(1100))
        while ContinuousClock.now < second { try await Task.sleep(until: second) }
        gate.open()
        if timeout == 1 {
            await #expect(throws: SceneError.failure(.loginTimedOut)) { try await login.value }
            return #expect(daemon.calls(of: loginIfRequired).count == 1)
        }
        #expect(try await login.value == Fixture.ada)
        let asked = try daemon.calls(of: loginIfRequired).map {
            try LoginIfRequired.Parameters(parameters: JSONElement.parse($0.parameters)).options
        }
        let passed = Int((ContinuousClock.now - began).components.seconds)
        let limit = timeout ?? 600
        try #require(asked.count == 2)
        #expect(asked[0]?.timeoutSeconds == timeout)
        #expect((limit - passed - 1...limit - 1).contains(asked[1]?.timeoutSeconds ?? limit))
    }

    @Test func everyConnectionIsLost() async throws {
        let daemon = try FakeDaemon([connectScene: [Fixture.snapshot()], listAccounts: [.close]])
        let scene = try await daemon.scene(patience: 1)
        await #expect(throws: SceneError.connectionLost) { try await scene.accounts() }
    }

    @Test func notRunningAnyMore() async throws {
        let daemon = try FakeDaemon([connectScene: [Fixture.snapshot()]])
        let scene = try await daemon.scene(patience: 1)
        daemon.stop(disconnecting: true)
        await daemon.closed()
        await #expect(throws: SceneError.notRunning(socket: daemon.path)) { try await scene.accounts() }
        await #expect(throws: SceneError.notRunning(socket: daemon.path)) { try await scene.login { _ in } }
    }

    @Test func aCallWhileNobodyListensCanBeCancelled() async throws {
        let daemon = try FakeDaemon([connectScene: [Fixture.snapshot()]])
        let scene = try await daemon.scene()
        daemon.stop(disconnecting: true)
        await daemon.closed()
        let task = Task { try await scene.accounts() }
        task.cancel()
        await #expect(throws: SceneError.cancelled) { _ = try await task.value }
    }

    /// The call's connection closes, which ends the call at scened.
    @Test func aCancelledTaskGivesItsCallUp() async throws {
        let daemon = try FakeDaemon([
            connectScene: [Fixture.snapshot()], loginIfRequired: [Fixture.presenting("http://127.0.0.1:1/a"), .hang],
        ])
        let scene = try await daemon.scene()
        let task = Task { try await scene.loginIfRequired { _ in } }
        await daemon.called(loginIfRequired)
        task.cancel()
        await #expect(throws: SceneError.cancelled) { try await task.value }
        await daemon.closed()
        #expect(daemon.calls(of: loginIfRequired).count == 1)
    }

    @Test func aCancelledWaitForEventsEnds() async throws {
        let daemon = try FakeDaemon([connectScene: [Fixture.snapshot(1)], listAccounts: [Fixture.accounts(2)]])
        let scene = try await daemon.scene()
        let task = Task { try await scene.accounts().accounts }
        await daemon.called(listAccounts)
        task.cancel()
        // The call has been answered, or given up; either way it is over.
        _ = await task.result
    }

    /// scened has restarted, and gets the call before the scene has come back.
    @Test func unknownSceneAfterARestart() async throws {
        let daemon = try FakeDaemon([
            connectScene: [[Fixture.snapshot(1)], [Fixture.resumed(1)]],
            CancelLogin.name: [
                [.awaitCall(connectScene, times: 2), .failure(.unknownScene("w1"))], [.reply(CancelLogin.Reply())],
            ],
        ])
        let scene = try await daemon.scene()
        let call = Task { try await scene.cancelLogin() }
        await daemon.called(CancelLogin.name)
        daemon.endStreams()
        try await call.value
        #expect(daemon.calls(of: CancelLogin.name).count == 2)
    }

    /// Nothing has happened to the scene's own connection: it is the app's to know.
    @Test func unknownSceneWithoutARestart() async throws {
        let daemon = try FakeDaemon([
            connectScene: [Fixture.snapshot()], CancelLogin.name: [.failure(.unknownScene("w1"))],
            SwitchAccount.name: [.failure(.unknownAccount("b2"))],
        ])
        let scene = try await daemon.scene()
        await #expect(throws: SceneError.failure(.unknownScene("w1"))) { try await scene.cancelLogin() }
        await #expect(throws: SceneError.failure(.unknownAccount("b2"))) {
            try await scene.switchAccount(to: Fixture.bob)
        }
    }

    @Test(arguments: [
        "{not JSON", #"{"parameters":{"accounts":7}}"#, #"{"error":7}"#, #"{"error":"org.example.Unknown"}"#,
    ])
    func garbageIsUnexpected(_ text: String) async throws {
        let daemon = try FakeDaemon([
            connectScene: [[Fixture.snapshot()]], listAccounts: [[.text(text)], [Fixture.accounts()]],
        ])
        let scene = try await daemon.scene()
        let error = await #expect(throws: SceneError.self) { try await scene.accounts() }
        guard case .unexpected = error else { return #expect(Bool(false), "\(String(describing: error))") }
        // And the next call does well.
        #expect(try await scene.accounts().accounts.isEmpty)
    }

    /// Nobody has asked for the second answer: it must not become that of the next call, where it is there before that.
    @Test func anAnswerTooManyIsNoAnswer() async throws {
        let answers = [Fixture.ada, Fixture.bob].flatMap { account -> [UInt8] in
            guard case .send(let bytes) = Fixture.accounts(1, [account]) else { return [] }
            return bytes
        }
        let daemon = try FakeDaemon([
            connectScene: [[Fixture.snapshot()]],
            listAccounts: [[.send(answers)], [Fixture.accounts(1, [Fixture.ada])]],
        ])
        let scene = try await daemon.scene()
        for _ in 0..<4 { #expect(try await scene.accounts().current == Fixture.ada) }
    }

    @Test func slowAnswersAreWaitedFor() async throws {
        let gate = Gate()
        let daemon = try FakeDaemon([
            connectScene: [Fixture.snapshot(1)],
            loginIfRequired: [Fixture.presenting("http://127.0.0.1:1/a"), .awaitGate(gate), Fixture.signedIn(1)],
        ])
        let scene = try await daemon.scene()
        let shown = Tally()
        let task = Task { try await scene.loginIfRequired { shown.add($0.loginScreen ?? "") } }
        await shown.reaches(1)
        gate.open()
        #expect(try await task.value == Fixture.ada)
    }

    /// The daemon's answer comes before its event: the app hears of the event first all the same.
    @Test func eventsComeBeforeTheCompletionThatNamesThem() async throws {
        let gate = Gate()
        let daemon = try FakeDaemon([
            connectScene: [Fixture.snapshot(1), .awaitGate(gate), Fixture.userChange(2, to: Fixture.ada)],
            loginIfRequired: [Fixture.signedIn(2)], GetLoginScreen.name: [.reply(GetLoginScreen.Reply())],
        ])
        let scene = try await daemon.scene()
        let tally = Tally()
        await MainActor.run {
            AuthHelper.registerBlock(forCurrentUserChangeNotifications: scene) { tally.add("event") }
            AuthHelper.loginIfRequired(scene) { tally.add("completion") }
        }
        await daemon.called(loginIfRequired)
        // The answer is here by now.
        for _ in 0..<20 { _ = try await scene.loginScreen() }
        await blocksHaveRun()
        #expect(tally.entries.isEmpty)
        gate.open()
        await tally.reaches(2)
        #expect(tally.entries == ["event", "completion"])
    }

    /// scened is gone with the event; what it has answered still holds.
    @Test func aCompletionDoesNotWaitForEverForItsEvents() async throws {
        let daemon = try FakeDaemon([connectScene: [Fixture.snapshot(1)], loginIfRequired: [Fixture.signedIn(2)]])
        let scene = try await daemon.scene(patience: 1)
        #expect(try await scene.loginIfRequired { _ in } == Fixture.ada)
    }

    @Test func callsOfAClosedScene() async throws {
        let daemon = try FakeDaemon([connectScene: [Fixture.snapshot()], loginIfRequired: [.hang]])
        let scene = try await daemon.scene()
        scene.close()
        await daemon.closed()
        await #expect(throws: SceneError.sceneClosed) { try await scene.accounts() }
        let tally = Tally()
        await MainActor.run {
            AuthHelper.loginIfRequired(scene) { (result: Result<Account, SceneError>) in tally.add("\(result)") }
        }
        await tally.reaches(1)
        #expect(tally.entries == ["\(Result<Account, SceneError>.failure(.sceneClosed))"])
    }
}
