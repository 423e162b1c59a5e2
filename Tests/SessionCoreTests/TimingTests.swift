import SceneModel
import Testing

@testable import SessionCore

@Suite struct TimingTests {
    @Test func lockingTwiceIsOneEvent() {
        let stage = Stage(accounts: 1)
        let scene = stage.connect("s")
        for locks in [true, true, false, false] {
            let call = stage.call { $0.lockRequested($1, locks, world: $2) }
            #expect(stage.isDone(call))
        }
        #expect(stage.kinds(scene) == [.snapshot, .locked, .unlocked])
        #expect(stage.audits.map(\.kind) == [.locked, .unlocked])
        stage.expectNoFaults()
    }

    @Test func aLockThatCannotBeStoredIsNone() {
        let stage = Stage(accounts: 1)
        stage.disk = .full
        let call = stage.call { $0.lockRequested($1, true, world: $2) }
        #expect(stage.failure(of: call) == .storageUnavailable(reason: "full"))
        #expect(!stage.session.record.locked)
    }

    @Test func aLockSurvivesARestart() {
        let stage = Stage(accounts: 1)
        stage.call { $0.lockRequested($1, true, world: $2) }
        stage.crash()
        #expect(stage.session.record.locked)
        #expect(stage.failure(of: stage.token()) == .sessionLocked)
    }

    @Test func anIdleSessionWantsNoTimer() {
        #expect(Stage(accounts: 3).session.nextDeadline == nil)
        #expect(Stage().session.nextDeadline == nil)
    }
}
