import Glibc
import LinuxIO
import SceneModel
import SceneProtocol
import TestSupport
import Testing

@testable import SceneSession

/// Tells a test what is asked of it, and presents nothing.
@MainActor private final class Told: LoginScreenController {
    let tally: Tally
    let atEnd: @Sendable () -> Void

    init(_ scene: Scene, _ tally: Tally, atEnd: @escaping @Sendable () -> Void = {}) {
        self.tally = tally
        self.atEnd = atEnd
        super.init(scene: scene)
    }

    override func didLoad() { tally.add("loaded \(loginScreen.title)") }

    override func present(_ progress: LoginProgress) {
        tally.add("\(progress.state) \(progress.loginScreen ?? "") at \(loginScreen.loginHosts.map(\.label))")
    }

    override func didFail(_ error: SceneError) { tally.add("\(error)") }

    override func didEnd(_ outcome: LoginScreenOutcome) {
        atEnd()
        switch outcome {
        case .signedIn(let account): tally.add("signed in \(account.username ?? "?")")
        case .failed(let error): tally.add("failed: \(error)")
        case .elsewhere: tally.add("elsewhere")
        }
    }
}

/// Each login of a scene has one controller, whoever waits for it.
@Suite(.timeLimit(.minutes(1))) struct LoginScreenControllerTests {
    private static let screen: FakeDaemon.Step = {
        var screen = LoginScreen()
        screen.title = "Notes"
        screen.loginHosts = [LoginHost(url: "https://a.example", label: "A", selected: true)]
        return .reply(GetLoginScreen.Reply(screen: screen))
    }()

    private static func told(_ state: LoginProgress.State) -> FakeDaemon.Step {
        .reply(LoginIfRequired.Reply(progress: LoginProgress(state)), continues: true)
    }

    private func daemon(_ logins: [[FakeDaemon.Step]]) throws -> FakeDaemon {
        try FakeDaemon([
            connectScene: [[Fixture.snapshot(1)]], GetLoginScreen.name: [[Self.screen]], loginIfRequired: logins,
        ])
    }

    /// Its logins are told to the tally.
    private func scene(_ daemon: FakeDaemon, _ tally: Tally) async throws -> Scene {
        let scene = try await daemon.scene()
        scene.loginScreenCreationBlock = { scene in
            tally.add("created")
            return Told(scene, tally)
        }
        return scene
    }

    private static let first = ["created", "loaded Notes", "presenting http://127.0.0.1:1/a at [\"A\"]"]

    @Test func oneForAllCallsThatWait() async throws {
        let gate = Gate()
        let login: [FakeDaemon.Step] = [
            Self.told(.waiting), Fixture.presenting("http://127.0.0.1:1/a"), .awaitGate(gate), Self.told(.authorizing),
            Fixture.signedIn(1),
        ]
        let daemon = try daemon([login])
        let tally = Tally()
        let scene = try await scene(daemon, tally)
        let calls = (1...5).map { _ in
            Task {
                let account = try await scene.loginIfRequired()
                #expect(tally.entries.last == "signed in ada", "nothing is shown any more when the call returns")
                return account
            }
        }
        await daemon.called(loginIfRequired, times: 5)
        await tally.reaches(3)
        gate.open()
        for call in calls { #expect(try await call.value == Fixture.ada) }
        // Whether all are asked before the first has ended, the user does not care.
        #expect(tally.entries.filter { !$0.hasPrefix("authorizing") } == Self.first + ["signed in ada"])
    }

    /// While the screen of the first one's login goes, the second one's call ends.
    @Test func aCallThatEndsMeanwhileWaitsForTheScreenToGo() async throws {
        let (first, second) = (Gate(), Gate())
        let daemon = try daemon(
            [first, second].map {
                [Fixture.presenting("http://127.0.0.1:1/a"), .awaitGate($0), Fixture.signedIn(1)]
            })
        let tally = Tally()
        let scene = try await daemon.scene()
        scene.loginScreenCreationBlock = { scene in
            Told(scene, tally) {
                second.open()
                // Long enough for it to end, if it does not wait.
                usleep(100_000)
            }
        }
        let calls = (1...2).map { _ in
            Task {
                try await scene.loginIfRequired()
                #expect(tally.entries.last == "signed in ada")
            }
        }
        await daemon.called(loginIfRequired, times: 2)
        await tally.reaches(2)
        first.open()
        for call in calls { try await call.value }
    }

    @Test func noneWhereNothingIsToBePresented() async throws {
        let daemon = try daemon([
            [Self.told(.waiting), Fixture.signedIn(1)],
            [Fixture.presenting("http://127.0.0.1:1/a"), Fixture.signedIn(1)],
        ])
        let tally = Tally()
        let scene = try await scene(daemon, tally)
        try await scene.loginIfRequired()
        let shown = Tally()
        // The caller presents it.
        try await scene.loginIfRequired { shown.add("\($0.state)") }
        await blocksHaveRun()
        #expect(tally.entries.isEmpty && shown.entries == ["presenting"])
        #expect(daemon.calls(of: GetLoginScreen.name).isEmpty)
    }

    @Test func anotherSceneTakesTheLoginOverAndGivesItBack() async throws {
        let gates = [Gate(), Gate(), Gate()]
        let daemon = try daemon([
            [
                Fixture.presenting("http://127.0.0.1:1/a"), .awaitGate(gates[0]), Self.told(.waiting),
                .awaitGate(gates[1]), Fixture.presenting("http://127.0.0.1:1/a"), .awaitGate(gates[2]),
                .failure(.loginCancelled),
            ]
        ])
        let tally = Tally()
        let scene = try await scene(daemon, tally)
        let call = Task { try await scene.loginIfRequired() }
        await tally.reaches(3)
        gates[0].open()
        await tally.reaches(4)
        gates[1].open()
        await tally.reaches(7)
        gates[2].open()
        await #expect(throws: SceneError.failure(.loginCancelled)) { try await call.value }
        let cancelled = "failed: \(SceneError.failure(.loginCancelled))"
        #expect(tally.entries == Self.first + ["elsewhere"] + Self.first + [cancelled])
    }

    /// The next login has come before another call has heard of the end of the last.
    @Test func eachLoginHasItsOwn() async throws {
        let gate = Gate()
        let (first, late) = (Gate(), Gate())
        let daemon = try daemon([
            [Fixture.presenting("http://127.0.0.1:1/a"), .awaitGate(first), .failure(.loginCancelled)],
            [Fixture.presenting("http://127.0.0.1:1/a"), .awaitGate(late), .failure(.loginCancelled)],
            [Fixture.presenting("http://127.0.0.1:1/b"), .awaitGate(gate), Fixture.signedIn(1)],
        ])
        let tally = Tally()
        let scene = try await scene(daemon, tally)
        let cancelled = Task { try await scene.loginIfRequired() }
        await daemon.called(loginIfRequired)
        let laggard = Task { try await scene.loginIfRequired() }
        await daemon.called(loginIfRequired, times: 2)
        await tally.reaches(3)
        first.open()
        await #expect(throws: SceneError.self) { try await cancelled.value }
        let next = Task { try await scene.loginIfRequired() }
        await tally.reaches(7)
        late.open()
        await #expect(throws: SceneError.self) { try await laggard.value }
        gate.open()
        #expect(try await next.value == Fixture.ada)
        let end = "failed: \(SceneError.failure(.loginCancelled))"
        let second = ["created", "loaded Notes", "presenting http://127.0.0.1:1/b at [\"A\"]"]
        #expect(tally.entries == Self.first + [end] + second + ["signed in ada"])
    }

    /// Whoever gives up waiting ends nobody else's login.
    @Test func oneOfTheCallsGivesUp() async throws {
        let gate = Gate()
        let daemon = try daemon([[Fixture.presenting("http://127.0.0.1:1/a"), .awaitGate(gate), Fixture.signedIn(1)]])
        let tally = Tally()
        let scene = try await scene(daemon, tally)
        let given = Task { try await scene.loginIfRequired() }
        await tally.reaches(3)
        let kept = Task { try await scene.loginIfRequired() }
        await daemon.called(loginIfRequired, times: 2)
        // What the second was told is here when this is.
        for _ in 0..<20 { _ = try await scene.loginScreen() }
        given.cancel()
        await #expect(throws: SceneError.cancelled) { try await given.value }
        #expect(tally.entries == Self.first)
        gate.open()
        #expect(try await kept.value == Fixture.ada)
        #expect(tally.entries == Self.first + ["signed in ada"])
    }

    @Test func aLoginIsPresentedWhereItsLooksCannotBeHad() async throws {
        let daemon = try FakeDaemon([
            connectScene: [[Fixture.snapshot(1)]], GetLoginScreen.name: [[.text(#"{"error":"org.example.No"}"#)]],
            loginIfRequired: [[Fixture.presenting("http://127.0.0.1:1/a"), .hang]],
        ])
        let tally = Tally()
        let scene = try await scene(daemon, tally)
        let call = Task { try await scene.loginIfRequired() }
        await tally.reaches(3)
        #expect(tally.entries == ["created", "loaded Log In", "presenting http://127.0.0.1:1/a at []"])
        call.cancel()
        await #expect(throws: SceneError.cancelled) { try await call.value }
    }

    /// A program whose main thread does something else may wait for the login on another.
    @Test func aBusyMainThreadIsNotWaitedFor() async throws {
        let daemon = try daemon([[Fixture.presenting("http://127.0.0.1:1/a"), Fixture.signedIn(1)]])
        let tally = Tally()
        let scene = try await scene(daemon, tally)
        let done = Gate()
        Task.detached {
            _ = try await scene.loginIfRequired()
            done.open()
            tally.add("done")
        }
        await MainActor.run { done.wait() }
        await tally.reaches(1)
        await blocksHaveRun()
        #expect(tally.entries == ["done"])
    }
}

// MARK: What a controller does

extension LoginScreenControllerTests {
    /// A login of the scene's, and the controller that presents it.
    private func presented(by scene: Scene, _ tally: Tally) async throws -> (Told, Task<Account, any Error>) {
        let presenting = Locked<Told?>(nil)
        scene.loginScreenCreationBlock = { scene in
            let controller = Told(scene, tally)
            presenting.withLock { $0 = controller }
            return controller
        }
        let call = Task { try await scene.loginIfRequired() }
        await tally.reaches(2)
        let controller = try #require(presenting.withLock { $0 })
        return (controller, call)
    }

    @MainActor @Test func theBarIsWhatTheControllerCreates() async throws {
        final class Styled: LoginScreenController {
            override func createTitleItem() -> NavigationBarItem? { NavigationBarItem("Welcome") }
            override func createSettingsButton() -> NavigationBarItem? { nil }
            override func shouldShowBackButton() -> Bool { true }
        }
        let scene = try await daemon([]).scene()
        let styled = Styled(scene: scene)
        #expect(styled.navigationBar?.titleItem == NavigationBarItem("Welcome"))
        #expect(styled.navigationBar?.backButton == NavigationBarItem("Back"))
        #expect(styled.navigationBar?.settingsButton == nil)
        let usual = LoginScreenController(scene: scene)
        #expect(usual.navigationBar?.titleItem == NavigationBarItem("Log In"))
        #expect(usual.navigationBar?.backButton == nil)
        #expect(usual.navigationBar?.settingsButton == NavigationBarItem("Login hosts"))
        usual.loginScreen.showsSettingsIcon = false
        #expect(usual.navigationBar?.settingsButton == nil)
        usual.loginScreen.showsNavigationBar = false
        #expect(usual.navigationBar == nil)
    }

    /// Against scened as it is.
    @Test func aRefusalIsToldAndGoingBackCancels() async throws {
        let session = try await RealSession()
        let scene = try await session.scene()
        let tally = Tally()
        let (controller, call) = try await presented(by: scene, tally)
        let own = try #require(await controller.loginScreen.loginHosts.first)
        await controller.removeLoginHost(url: own.url)
        await tally.reaches(3)
        #expect(tally.entries[2] == "\(SceneError.failure(.loginHostNotRemovable(own.url)))")
        await controller.handleBackButtonAction()
        await #expect(throws: SceneError.failure(.loginCancelled)) { try await call.value }
        #expect(tally.entries.last == "failed: \(SceneError.failure(.loginCancelled))")
        #expect(tally.entries.filter { $0.hasPrefix("loaded") }.count == 1)
    }

    @Test func theOneWhoAddsALoginHostIsToldWhenItIsThere() async throws {
        let added = LoginHost(url: "https://own.example.com", label: "Own", origin: .user, removable: true)
        var more = LoginScreen()
        more.loginHosts = [added]
        let daemon = try FakeDaemon([
            connectScene: [[Fixture.snapshot(1)]],
            GetLoginScreen.name: [[Self.screen], [.reply(GetLoginScreen.Reply(screen: more))]],
            AddLoginHost.name: [[.reply(AddLoginHost.Reply(loginHost: added))]],
            loginIfRequired: [[Fixture.presenting("http://127.0.0.1:1/a"), .hang]],
        ])
        let tally = Tally()
        let scene = try await daemon.scene()
        let (controller, call) = try await presented(by: scene, tally)
        await controller.addLoginHost(url: " own.example.com ") { tally.add("added \($0.url)") }
        await tally.reaches(4)
        #expect(
            tally.entries[2...] == [
                "presenting http://127.0.0.1:1/a at [\"Own\"]", "added https://own.example.com",
            ])
        call.cancel()
        _ = await call.result
    }

    @Test func theScreenIsPresentedAgainWhenItsLoginHostsHaveChanged() async throws {
        var more = LoginScreen()
        more.loginHosts = [LoginHost(label: "A"), LoginHost(label: "B")]
        let daemon = try FakeDaemon([
            connectScene: [[Fixture.snapshot(1)]],
            GetLoginScreen.name: [[Self.screen], [.reply(GetLoginScreen.Reply(screen: more))]],
            RemoveLoginHost.name: [[.reply(RemoveLoginHost.Reply())]],
            loginIfRequired: [[Fixture.presenting("http://127.0.0.1:1/a"), .hang]],
        ])
        let tally = Tally()
        let scene = try await daemon.scene()
        let (controller, call) = try await presented(by: scene, tally)
        await controller.removeLoginHost(url: "https://c.example")
        await tally.reaches(3)
        #expect(tally.entries[2] == "presenting http://127.0.0.1:1/a at [\"A\", \"B\"]")
        call.cancel()
        _ = await call.result
    }

    @Test func whatTheAdministratorHidIsRefused() async throws {
        let session = try await RealSession("[LoginScreen]\nShowsSettingsIcon=no")
        let scene = try await session.scene()
        var configuration = LoginScreenConfiguration()
        configuration.showsSettingsIcon = true
        configuration.title = "Mine"
        scene.loginScreenConfiguration = configuration
        let tally = Tally()
        let (controller, call) = try await presented(by: scene, tally)
        #expect(tally.entries[0] == "loaded Mine")
        #expect(await controller.navigationBar?.settingsButton == nil)
        await controller.addLoginHost(url: "https://own.example.com")
        await tally.reaches(3)
        #expect(tally.entries[2].contains("accessDenied"), "\(tally.entries)")
        call.cancel()
        _ = await call.result
    }
}
