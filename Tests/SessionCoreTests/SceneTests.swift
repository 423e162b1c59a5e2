import SceneModel
import Testing

@testable import SessionCore

@Suite struct SceneTests {
    private let stage = Stage(accounts: 1)

    private func opening(_ call: CallID) -> Event? { stage.streams[call]?.events.first }

    @Test func aNewSceneGetsAnIdentifierAndASnapshot() throws {
        let scene = stage.connect()
        let event = try #require(opening(scene))
        #expect(event.kind == .snapshot)
        #expect(event.gap == false)
        #expect(event.scene.map { stage.session.scenes[$0] != nil } == true)
        #expect(event.snapshot?.current?.id == "a1")
        #expect(event.at == stage.session.cursor)
        stage.expectNoFaults()
    }

    @Test(arguments: ["", String(repeating: "x", count: 257), "a\nb", "a\u{7f}"])
    func anUnfitIdentifierIsRefused(scene: String) {
        #expect(stage.failure(of: stage.connect(scene)) == .invalidParameter("scene"))
        #expect(stage.session.scenes.isEmpty)
    }

    @Test func aTitleIsBounded() {
        let call = stage.call {
            $0.sceneConnected(
                $1, title: String(repeating: "x", count: 257), after: nil,
                process: ProcessIdentity(pid: 1, startTime: 1), isRunning: { _ in true }, world: $2)
        }
        #expect(stage.failure(of: call) == .invalidParameter("title"))
    }

    @Test func anotherLivingProcessCannotTakeASceneOver() {
        let first = stage.connect("s", pid: 1)
        #expect(stage.failure(of: stage.connect("s", pid: 2)) == .sceneInUse("s"))
        #expect(stage.streams[first]?.isOpen == true)
        #expect(stage.session.scenes["s"]?.call == first)
    }

    @Test func theSameProcessTakesItsSceneOver() {
        let first = stage.connect("s", pid: 1, foreground: true)
        let second = stage.connect("s", pid: 1)
        #expect(stage.streams[first]?.isOpen == false)
        #expect(stage.session.scenes["s"]?.call == second)
        #expect(stage.session.scenes["s"]?.activation == .foreground)
        // The old connection's end is not the scene's.
        stage.hangUp(first)
        #expect(stage.session.scenes["s"]?.call == second)
    }

    @Test func aSceneWhoseProcessIsGoneCanBeTakenOver() {
        stage.connect("s", pid: 1)
        stage.running.remove(ProcessIdentity(pid: 1, startTime: 1))
        let second = stage.connect("s", pid: 2)
        #expect(stage.session.scenes["s"]?.call == second)
        #expect(opening(second)?.scene == "s")
    }

    @Test func waitsOutliveATakeover() {
        let stage = Stage()
        let first = stage.connect("s")
        let wait = stage.loginIfRequired("s")
        stage.connect("s")
        stage.hangUp(first)
        stage.signIn()
        #expect(stage.progress(of: wait)?.state == .signedIn)
        stage.expectNoFaults()
    }

    @Test func aSceneThatComesBackGetsWhatItMissed() throws {
        let first = stage.connect("s")
        let cursor = try #require(stage.streams[first]).at
        stage.hangUp(first)
        stage.logout("a1")
        let second = stage.connect("s", after: cursor)
        let events = try #require(stage.streams[second]).events
        #expect(events.map(\.kind).prefix(2) == [.resumed, .loggedOut])
        #expect(events.first?.at == cursor)
        #expect(events.first?.scene == "s")
        #expect(events.dropFirst().map(\.at.sequence) == Array((cursor.sequence + 1)...stage.session.cursor.sequence))
    }

    @Test func aCursorThatCannotBeContinuedGetsAGap() {
        for cursor in [
            Cursor(epoch: "other", sequence: 0), Cursor(epoch: "epoch", sequence: 1),
            Cursor(epoch: "epoch", sequence: -1), Cursor(epoch: "epoch", sequence: .max),
        ] {
            let scene = stage.connect("s", after: cursor)
            #expect(opening(scene)?.kind == .snapshot)
            #expect(opening(scene)?.gap == true)
        }
    }

    @Test(arguments: [(1023, true), (1024, true), (1025, false)])
    func historyReachesBackOverTheNewest(events: Int, resumes: Bool) {
        let start = stage.session.cursor
        for index in 0..<events { stage.call { $0.lockRequested($1, index.isMultiple(of: 2), world: $2) } }
        #expect(stage.session.cursor.sequence == start.sequence + events)
        let (event, position) = stage.session.opening(scene: "s", after: start)
        #expect(event.kind == (resumes ? .resumed : .snapshot))
        #expect(position == (resumes ? start.sequence : start.sequence + events))
    }

    /// Time is no reason to forget, nor is a restart; only the number of events is.
    @Test(arguments: [(1, true), (1024, true), (1025, false)], [0, 1])
    func aSceneThatWasOffForAnHour(_ missed: (events: Int, resumes: Bool), restarts: Int) throws {
        let first = stage.connect("s")
        let cursor = try #require(stage.streams[first]).at
        stage.hangUp(first)
        let began = stage.now.boot
        for index in 0..<missed.events {
            stage.call { $0.lockRequested($1, index.isMultiple(of: 2), world: $2) }
            stage.wait(seconds: 3600 / Double(missed.events))
        }
        #expect(abs(stage.now.boot.seconds(since: began) - 3600) <= 1)
        for _ in 0..<restarts { stage.crash() }
        let events = try #require(stage.streams[stage.connect("s", after: cursor)]).events
        let newest = Cursor(epoch: cursor.epoch, sequence: cursor.sequence + missed.events)
        #expect(stage.session.cursor == newest)
        if missed.resumes {
            #expect(events.first?.kind == .resumed)
            #expect(events.first?.at == cursor)
            #expect(
                events.dropFirst().map(\.at)
                    == (1...missed.events).map { Cursor(epoch: cursor.epoch, sequence: cursor.sequence + $0) })
            #expect(events.dropFirst().first?.kind == .locked)
        } else {
            #expect(events.map(\.kind) == [.snapshot])
            #expect(events.first?.gap == true)
            #expect(events.first?.at == newest)
            #expect(events.first?.snapshot?.locked == true)
        }
        stage.expectNoFaults()
    }

    @Test func updatesNameAConnectedScene() {
        let unknown = stage.call { session, caller, _ in
            session.sceneUpdated(caller, scene: "s", activation: .foreground, title: nil)
        }
        #expect(stage.failure(of: unknown) == .unknownScene("s"))
        stage.connect("s")
        let call = stage.call { session, caller, _ in
            session.sceneUpdated(caller, scene: "s", activation: nil, title: "Window")
        }
        #expect(stage.isDone(call))
        #expect(stage.session.scenes["s"]?.title == "Window")
        let long = stage.call { session, caller, _ in
            session.sceneUpdated(
                caller, scene: "s", activation: .foreground, title: String(repeating: "é", count: 129))
        }
        #expect(stage.failure(of: long) == .invalidParameter("title"))
        #expect(stage.session.scenes["s"]?.activation == .background)
    }

    @Test func aSceneThatLeavesTakesItsWaitsAlong() {
        let stage = Stage()
        let scene = stage.connect("s")
        let wait = stage.loginIfRequired("s")
        stage.happens { session, _ in session.sceneDisconnected(scene, of: "s") }
        #expect(stage.failure(of: wait) == .loginCancelled)
        #expect(stage.session.login == nil)
        #expect(stage.session.scenes.isEmpty)
    }

    @Test func theFirstSceneMakesTheEpochDurable() {
        let stage = Stage()
        #expect(!stage.session.isStored)
        stage.disk = .full
        stage.connect("s")
        #expect(!stage.session.isStored)
        stage.disk = .works
        stage.connect("t")
        #expect(stage.session.isStored)
        #expect(stage.ledger.record.epoch == "epoch")
    }
}
