import SceneModel
import Testing

@testable import SessionCore

@Suite struct LockTests {
    private let stage = Stage(accounts: 1, policy: .test(lock: .session))

    private func screen(_ screen: Screen) { stage.happens { $0.screenChanged(screen, world: $1) } }

    private func lock(_ locks: Bool) -> CallID { stage.call { $0.lockRequested($1, locks, world: $2) } }

    private static let denied = Failure.accessDenied(
        reason: "the screen is locked: unlock it, or run loginctl unlock-session")

    @Test func theScreenLocksAndUnlocks() {
        let scene = stage.connect("s")
        screen(.unlocked)
        screen(.locked)
        #expect(stage.failure(of: stage.token()) == .sessionLocked)
        let waits = stage.loginIfRequired()
        #expect(stage.told[waits]?.map(\.state) == [.locked])
        screen(.unlocked)
        #expect(stage.progress(of: waits)?.state == .signedIn)
        #expect(stage.kinds(scene) == [.snapshot, .locked, .unlocked])
        #expect(stage.audits.map(\.reason) == ["screen", "screen"])
        stage.expectNoFaults()
    }

    @Test func anAppThatDoesNotAskForItIsLeftAlone() {
        let stage = Stage(accounts: 1)
        stage.happens { $0.screenChanged(.locked, world: $1) }
        #expect(!stage.session.record.locked)
        #expect(stage.isDone(stage.call { $0.lockRequested($1, true, world: $2) }))
        #expect(stage.isDone(stage.call { $0.lockRequested($1, false, world: $2) }))
    }

    @Test func aLockedScreenIsUnlockedByNoCall() {
        screen(.locked)
        #expect(stage.failure(of: lock(false)) == Self.denied)
        #expect(stage.session.record.locked)
        screen(.absent)
        #expect(stage.isDone(lock(false)))
        #expect(!stage.session.record.locked)
    }

    @Test func asLongAsNothingIsKnownOfTheScreenNoCallUnlocks() {
        #expect(stage.isDone(lock(true)))
        guard case .accessDenied = stage.failure(of: lock(false)) else {
            Issue.record("unlocked")
            return
        }
    }

    @Test func theScreenTakesBackItsOwnLockOnly() {
        screen(.unlocked)
        #expect(stage.isDone(lock(true)))
        screen(.locked)
        screen(.unlocked)
        #expect(stage.session.record.locked)
        #expect(stage.isDone(lock(false)))
    }

    @Test func afterARestartTheScreensLockIsStillTheScreens() {
        screen(.locked)
        stage.crash()
        #expect(stage.session.record.locked)
        screen(.unlocked)
        #expect(!stage.session.record.locked)
        #expect(stage.isDone(lock(true)))
        stage.crash()
        screen(.unlocked)
        #expect(stage.session.record.locked)
    }

    @Test func anUnlockOnItsWayToTheDiskDoesNotOutrunTheScreen() {
        screen(.unlocked)
        #expect(stage.isDone(lock(true)))
        stage.disk = .held
        let unlocks = lock(false)
        screen(.locked)
        stage.disk(works: true)
        stage.disk(works: true)
        #expect(stage.isDone(unlocks))
        #expect(stage.session.record.locked)
        stage.expectNoFaults()
    }

    @Test func whatCannotBeStoredIsTriedAgain() {
        stage.disk = .full
        screen(.locked)
        #expect(!stage.session.record.locked)
        #expect(stage.session.nextDeadline != nil)
        stage.disk = .works
        stage.wait(seconds: 2)
        #expect(stage.session.record.locked)
        #expect(stage.session.nextDeadline == nil)
    }

    @Test func aLockComesBeforeAChoice() {
        let stage = Stage(accounts: 3, policy: .test(.select, lock: .session))
        stage.logout("a1")
        let waits = stage.loginIfRequired()
        #expect(stage.told[waits]?.map(\.state) == [.selecting])
        stage.happens { $0.screenChanged(.locked, world: $1) }
        stage.happens { $0.screenChanged(.unlocked, world: $1) }
        #expect(stage.told[waits]?.map(\.state) == [.selecting, .locked, .selecting])
        stage.expectNoFaults()
    }
}
