import SceneModel
import Testing

@testable import SessionCore

@Suite struct AccountsTests {
    private func logoutResult(_ stage: Stage, _ call: CallID) -> LogoutResult? {
        if case .reply(.loggedOut(let result, _)) = stage.outcomes[call] { result } else { nil }
    }

    private func switchTo(_ stage: Stage, _ account: String) -> CallID {
        stage.call { $0.switchRequested($1, account: account, world: $2) }
    }

    // MARK: Decisions that are taken again

    @Test func aChoiceIsTakenAwayAsAccountsGo() {
        let stage = Stage(accounts: 4)
        let scene = stage.connect("s")
        stage.logout("a1")
        stage.logout("a2")
        #expect(stage.kinds(scene).filter { $0 == .selectionRequired }.count == 2)
        stage.logout("a3")
        #expect(stage.session.current?.account.id == "a4")
        stage.expectNoFaults()
    }

    @Test func aChoiceThatWasPromisedIsFollowedUpUnderAnotherPolicy() {
        let stage = Stage(accounts: 3)
        let scene = stage.connect("s")
        stage.logout("a1")
        stage.mayBecome(.test(.none))
        stage.logout("a2")
        #expect(stage.kinds(scene).last == .selectionRequired)
        stage.logout("a3")
        #expect(stage.kinds(scene).last == .loginRequired)
        #expect(stage.session.pending == .login)
        stage.expectNoFaults()
    }

    @Test func logoutAllIsOneChange() {
        let stage = Stage(accounts: 3)
        let scene = stage.connect("s")
        var changes = 0
        stage.onStored = { change in if change.events.contains(where: { $0.kind == .loggedOut }) { changes += 1 } }
        let call = stage.call { $0.logoutAllRequested($1, reason: nil, world: $2) }
        #expect(changes == 1)
        #expect(
            stage.kinds(scene)
                == [.snapshot, .loggedOut, .loggedOut, .loggedOut, .currentUserChanged, .loginRequired])
        #expect(stage.revocations.count == 3)
        for _ in 0..<3 {
            let record = stage.finishRevocation(0)
            stage.happens { $0.revocationEnded(record.id, .revoked, world: $1) }
        }
        guard case .reply(.loggedOutAll(let results, let at)) = stage.outcomes[call] else {
            Issue.record("no answer")
            return
        }
        #expect(results.map(\.account.id) == ["a1", "a2", "a3"])
        #expect(results.allSatisfy { $0.remote == .revoked })
        #expect(at.sequence == 5)
        stage.expectNoFaults()
    }

    @Test func logoutAllOfNobodyIsDone() {
        let stage = Stage()
        let all = stage.call { $0.logoutAllRequested($1, reason: nil, world: $2) }
        if case .reply(.loggedOutAll([], _)) = stage.outcomes[all] {} else { Issue.record("no answer") }
        let count = stage.call { $0.logoutAllRequested($1, reason: nil, byUser: true, world: $2) }
        if case .reply(.accountsSignedOut(0)) = stage.outcomes[count] {} else { Issue.record("no answer") }
    }

    @Test func logoutOfAUserCounts() {
        let stage = Stage(accounts: 2)
        let call = stage.call { $0.logoutAllRequested($1, reason: nil, byUser: true, world: $2) }
        stage.wait(seconds: 4)
        if case .reply(.accountsSignedOut(2)) = stage.outcomes[call] {} else { Issue.record("no answer") }
    }

    // MARK: Logout

    @Test func theReplyWaitsForTheLoginHost() {
        let stage = Stage(accounts: 2)
        let call = stage.logout()
        #expect(stage.session.current?.account.id == "a2")
        #expect(stage.revocations.first?.record.refreshToken == Secret("refresh-a1"))
        #expect(stage.revocations.first?.idToken == Secret("id-a1"))
        let record = stage.finishRevocation(0)
        stage.happens { session, _ in session.endSessionKnown(record.id, "https://end") }
        stage.happens { session, _ in session.endSessionKnown(record.id, "https://end/again") }
        stage.happens { $0.revocationEnded(record.id, .revoked, world: $1) }
        #expect(logoutResult(stage, call)?.account.id == "a1")
        #expect(logoutResult(stage, call)?.remote == .revoked)
        #expect(logoutResult(stage, call)?.endSessionUri == "https://end")
        #expect(stage.session.revocations.isEmpty)
        stage.expectNoFaults()
    }

    @Test func butNotForLong() {
        let stage = Stage(accounts: 1)
        let call = stage.logout("a1")
        stage.happens { session, _ in session.endSessionKnown(stage.revocations[0].record.id, "https://end") }
        stage.wait(seconds: 2.9)
        #expect(stage.outcomes[call] == nil)
        stage.wait(seconds: 0.1)
        #expect(logoutResult(stage, call)?.remote == .queued)
        #expect(logoutResult(stage, call)?.endSessionUri == "https://end")
        stage.expectNoFaults()
    }

    @Test func twiceGivesTheResultAgain() {
        let stage = Stage(accounts: 1)
        stage.disk = .held
        let calls = [stage.logout("a1"), stage.logout("a1")]
        stage.disk = .works
        stage.disk(works: true)
        #expect(logoutResult(stage, calls[1])?.remote == .queued)
        let record = stage.finishRevocation(0)
        stage.happens { $0.revocationEnded(record.id, .unsupported, world: $1) }
        #expect(logoutResult(stage, calls[0])?.remote == .unsupported)
        #expect(logoutResult(stage, stage.logout("a1"))?.remote == .unsupported)
        #expect(stage.audits.filter { $0.kind == .signedOut }.count == 1)
        stage.crash()
        #expect(logoutResult(stage, stage.logout("a1"))?.account.id == "a1")
        #expect(logoutResult(stage, stage.logout("a1"))?.remote == .unsupported)
        stage.expectNoFaults()
    }

    @Test func whoNeverWasCannotBeSignedOut() {
        let stage = Stage(accounts: 1)
        #expect(stage.failure(of: stage.logout("x")) == .unknownAccount("x"))
        #expect(stage.failure(of: stage.logout("a1", reason: "")) == .invalidParameter("reason"))
        #expect(
            stage.failure(of: stage.logout("a1", reason: String(repeating: "x", count: 257)))
                == .invalidParameter("reason"))
        let empty = Stage()
        #expect(empty.failure(of: empty.logout()) == .notSignedIn)
        let scene = stage.call(scene: "x") { $0.logoutRequested($1, account: "a1", reason: nil, world: $2) }
        #expect(stage.failure(of: scene) == .unknownScene("x"))
        let all = stage.call(scene: "x") { $0.logoutAllRequested($1, reason: nil, world: $2) }
        #expect(stage.failure(of: all) == .unknownScene("x"))
        #expect(stage.session.accounts.count == 1)
    }

    @Test func aLockedSessionCanBeSignedOut() {
        let stage = Stage(accounts: 1)
        stage.call { $0.lockRequested($1, true, world: $2) }
        stage.logout("a1")
        #expect(stage.session.accounts.isEmpty)
    }

    @Test func aLogoutThatCannotBeStoredChangesNothing() {
        let stage = Stage(accounts: 2)
        let scene = stage.connect("s")
        stage.disk = .full
        #expect(stage.failure(of: stage.logout("a1")) == .storageUnavailable(reason: "full"))
        let all = stage.call { $0.logoutAllRequested($1, reason: nil, world: $2) }
        #expect(stage.failure(of: all) == .storageUnavailable(reason: "full"))
        #expect(stage.session.accounts.count == 2)
        #expect(stage.kinds(scene) == [.snapshot])
        #expect(stage.revocations.isEmpty)
        stage.expectNoFaults()
    }

    @Test func theAuditNamesTheScene() {
        let stage = Stage(accounts: 1)
        stage.connect("s")
        stage.call(scene: "s") { $0.logoutRequested($1, account: nil, reason: nil, world: $2) }
        #expect(stage.audits.last?.scene == "s")
        #expect(stage.audits.last?.account?.id == "a1")
        #expect(stage.audits.last?.pid == 7)
    }

    // MARK: Switch

    @Test func aSwitchIsToldToEveryScene() {
        let stage = Stage(accounts: 2)
        let scene = stage.connect("s")
        let call = switchTo(stage, "a2")
        guard case .reply(.switched(let account, let at)) = stage.outcomes[call] else {
            Issue.record("no answer")
            return
        }
        #expect(account.id == "a2")
        #expect(at == stage.session.cursor)
        #expect(stage.streams[scene]?.events.last?.previous?.id == "a1")
        _ = switchTo(stage, "a2")
        #expect(stage.kinds(scene) == [.snapshot, .currentUserChanged])
        stage.expectNoFaults()
    }

    @Test func aSwitchThatCannotBeIsRefused() {
        let stage = Stage(accounts: 2)
        #expect(stage.failure(of: switchTo(stage, "x")) == .unknownAccount("x"))
        stage.disk = .full
        #expect(stage.failure(of: switchTo(stage, "a2")) == .storageUnavailable(reason: "full"))
        stage.disk = .held
        stage.call { $0.lockRequested($1, true, world: $2) }
        let behind = switchTo(stage, "a2")
        stage.disk = .works
        stage.disk(works: true)
        #expect(stage.failure(of: behind) == .sessionLocked)
        #expect(stage.failure(of: switchTo(stage, "a2")) == .sessionLocked)
        #expect(stage.session.current?.account.id == "a1")
    }

    @Test func aSwitchEndsALoginThatNobodyNeedsAnyMore() {
        let stage = Stage(accounts: 2, policy: .test(.login))
        stage.logout("a1")
        let call = stage.loginIfRequired()
        stage.present()
        _ = switchTo(stage, "a2")
        #expect(stage.progress(of: call)?.account?.id == "a2")
        #expect(stage.ends[1] == .abandoned)
        stage.expectNoFaults()
    }

    @Test func aSwitchToAnAccountWithoutAGrantAsksForALogin() {
        let records = [AccountRecord.test("a1"), .test("a2", state: .loginRequired)]
        let stage = Stage(
            StoredSession(
                key: .test, record: SessionRecord(epoch: "epoch", selectionPending: true), accounts: records),
            policy: .test())
        let call = stage.loginIfRequired()
        #expect(stage.told[call]?.map(\.state) == [.selecting])
        _ = switchTo(stage, "a2")
        #expect(stage.login?.loginHint == "user-a2")
        stage.signIn("a2")
        #expect(stage.progress(of: call)?.account?.id == "a2")
        #expect(stage.session.current?.account.state == .active)
        stage.expectNoFaults()
    }
}
