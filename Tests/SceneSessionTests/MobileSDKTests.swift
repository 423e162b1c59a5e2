import SceneModel
import TestSupport
import Testing

@testable import SceneSession

/// The calls of the Mobile SDK's scene sample, each with a scene, at scened and a provider as they are.
@Suite(.timeLimit(.minutes(5))) struct MobileSDKTests {
    private func handled(_ scene: Scene, _ tally: Tally) {
        AuthHelper.handleLogout(scene) { (result: Result<Account, SceneError>) in tally.add(name(result)) }
    }

    private func name(_ result: Result<Account, SceneError>) -> String {
        switch result {
        case .success(let account): account.username ?? "?"
        case .failure(let error): "\(error)"
        }
    }

    @Test func everyBlockRunsOnceForItsEvent() async throws {
        let session = try await RealSession()
        let a = await Window(try await session.scene())
        let b = await Window(try await session.scene())
        let closed = await Window(try await session.scene())
        closed.scene.close()

        // One login, which all who ask complete with.
        let shown = Tally()
        async let first = b.scene.loginIfRequired(progress: RealSession.browser("alice", shown: shown))
        await shown.reaches(1)
        let completions = Tally()
        AuthHelper.loginIfRequired(a.scene) { (result: Result<Account, SceneError>) in completions.add(name(result)) }
        AuthHelper.loginIfRequired(a.scene) { completions.add("plain") }
        #expect(try await first.username == "alice")
        await completions.reaches(2)
        #expect(completions.entries.sorted() == ["alice", "plain"])
        #expect(shown.entries.count == 1)

        for user in ["bob", "carol", "dave"] {
            #expect(try await b.scene.login(progress: RealSession.browser(user)).username == user)
        }
        var users = ["alice", "bob", "carol", "dave"]

        // Of what b did, a may not have heard yet.
        try await a.isUpToDate()
        // Three are left, then two: somebody chooses. A completion comes with the choice, not before.
        for (leaving, next) in [("dave", "carol"), ("carol", "bob")] {
            #expect(try await a.scene.logout().account.username == leaving)
            #expect(a.scene.snapshot.pending == .selection)
            let handled = Tally()
            self.handled(a.scene, handled)
            self.handled(b.scene, handled)
            try await b.isUpToDate()
            #expect(handled.entries.isEmpty)
            let account = try #require(b.scene.snapshot.accounts.first { $0.username == next })
            try await b.scene.switchAccount(to: account)
            await handled.reaches(2)
            #expect(handled.entries == [next, next])
            users += ["nobody", next]
        }
        // One is left: it is current at once.
        try await a.scene.logout()
        let followed = Tally()
        handled(b.scene, followed)
        await followed.reaches(1)
        #expect(followed.entries == ["alice"])
        users.append("alice")

        // Nobody is left: there is a login.
        try await b.scene.logout()
        #expect(b.scene.snapshot.pending == .login)
        let screens = Tally()
        async let again = b.scene.handleLogout(progress: RealSession.browser("alice", shown: screens))
        await screens.reaches(1)
        let anew = Tally()
        handled(a.scene, anew)
        #expect(try await again.username == "alice")
        await anew.reaches(1)
        #expect(anew.entries == ["alice"])
        users += ["nobody", "alice"]

        for window in [a, b] {
            try await window.isUpToDate()
            #expect(window.users.entries == users)
            #expect(window.logouts.entries == ["dave", "carol", "bob", "alice"])
            #expect(window.plain.entries.count == 4)
        }
        #expect(closed.users.entries.isEmpty)
        #expect(closed.logouts.entries.isEmpty)
        #expect(completions.entries.count == 2)
        // What the library made of the events is what scened says.
        let fresh = try await session.scene()
        #expect(a.scene.snapshot == fresh.snapshot)

        // A second registration doubles nothing but itself.
        await a.register()
        try await a.scene.logoutAll()
        try await a.isUpToDate()
        #expect(a.logouts.entries.count == 4 + 2)
        #expect(a.users.entries.count == users.count + 2)
        try await b.isUpToDate()
        #expect(b.logouts.entries.count == 4 + 1)
        #expect(a.scene.snapshot == (try await session.scene()).snapshot)
    }

    @Test func cancelTimeoutAndFailureReachTheCompletion() async throws {
        let session = try await RealSession()
        let scene = try await session.scene()
        let other = try await session.scene()

        let tally = Tally()
        let shown = Tally()
        let login = Task { try await other.loginIfRequired { shown.add($0.loginScreen ?? "") } }
        await shown.reaches(1)
        AuthHelper.loginIfRequired(scene) { (result: Result<Account, SceneError>) in tally.add(name(result)) }
        AuthHelper.loginIfRequired(scene) { tally.add("plain") }
        // Both wait before the login ends.
        try await waits(scene)
        try await scene.cancelLogin()
        await tally.reaches(2)
        #expect(tally.entries.sorted() == ["\(SceneError.failure(.loginCancelled))", "plain"].sorted())
        await #expect(throws: SceneError.failure(.loginCancelled)) { try await login.value }

        var options = LoginOptions()
        options.timeoutSeconds = 1
        await #expect(throws: SceneError.failure(.loginTimedOut)) {
            try await scene.loginIfRequired(options: options) { _ in }
        }
        options.presentation = LoginOptions.Presentation.none
        let error = await #expect(throws: SceneError.self) { try await scene.loginIfRequired(options: options) }
        guard case .failure(.interactionRequired) = error else { return #expect(Bool(false), "\(error as Any)") }
        await #expect(throws: SceneError.failure(.unknownLoginHost("https://nowhere.example.com"))) {
            var options = LoginOptions()
            options.loginHost = "https://nowhere.example.com"
            return try await scene.loginIfRequired(options: options)
        }

        // A login host that does not answer.
        let lost = try await session.scene(app: "lost")
        options = LoginOptions()
        options.loginHost = "http://127.0.0.1:9"
        let failure = await #expect(throws: SceneError.self) { try await lost.login(options: options) { _ in } }
        guard case .failure(.loginHostUnavailable) = failure else { return #expect(Bool(false), "\(failure as Any)") }

        // And who closes while waiting is told, once.
        let closing = try await session.scene()
        let ends = Tally()
        let begun = Tally()
        let wait = Task {
            let result = await Result.of { () throws(SceneError) in
                try await closing.loginIfRequired { _ in begun.add("") }
            }
            ends.add(name(result))
        }
        await begun.reaches(1)
        closing.close()
        await wait.value
        #expect(ends.entries == ["\(SceneError.failure(.loginCancelled))"])
    }

    /// A third call that joins is told so after those before it have joined.
    private func waits(_ scene: Scene) async throws {
        let joined = Tally()
        for number in 1...2 {
            let task = Task { try await scene.loginIfRequired { joined.add("\($0.state)") } }
            await joined.reaches(number)
            task.cancel()
            _ = await task.result
        }
    }

    @Test func aPolicyOfNoneEndsHandleLogout() async throws {
        let session = try await RealSession("AfterLogout=none")
        let scene = try await session.scene()
        try await scene.loginIfRequired(progress: RealSession.browser("alice"))
        try await scene.logout()
        let tally = Tally()
        handled(scene, tally)
        await tally.reaches(1)
        #expect(tally.entries == ["\(SceneError.failure(.notSignedIn))"])
    }
}
