import SceneModel
import SceneProtocol
import TestSupport
import Testing
import Varlink

@testable import SceneSession

/// A scene against a daemon that answers by a script.
@Suite(.timeLimit(.minutes(1))) struct SceneConnectingTests {
    @Test func knowsHowTheSessionStands() async throws {
        let daemon = try FakeDaemon([connectScene: [Fixture.snapshot(accounts: [Fixture.ada], current: Fixture.ada)]])
        let scene = try await daemon.scene()
        #expect(scene.id == "w1")
        #expect(scene.snapshot.current == Fixture.ada)
        #expect(!scene.isClosed)
        scene.close()
        #expect(scene.isClosed)
        await daemon.closed()
    }

    @Test func isClosedWithItsLastReference() async throws {
        let daemon = try FakeDaemon([connectScene: [Fixture.snapshot()]])
        var scene: Scene? = try await daemon.scene()
        #expect(scene?.id == "w1")
        scene = nil
        await daemon.closed()
        #expect(daemon.calls(of: connectScene).count == 1)
    }

    @Test(arguments: [
        Failure.unknownApp("notes"), .sceneInUse("w1"), .accessDenied(reason: "no"),
        .quotaExceeded(resource: "scenes", limit: 1),
    ])
    func aRefusalIsFinal(_ failure: Failure) async throws {
        let daemon = try FakeDaemon([connectScene: [.failure(failure)]])
        await #expect(throws: SceneError.failure(failure)) { try await daemon.scene(id: "w1") }
        await daemon.closed()
    }

    @Test(arguments: [
        #"{"parameters":{"event":{"kind":"snapshot"}},"continues":true}"#, "{not JSON", #"{"parameters":7}"#,
        #"{"error":"org.example.Unknown"}"#,
        #"{"parameters":{"event":{"kind":"locked","at":{"epoch":"e","sequence":1}}}}"#,
    ])
    func garbageIsUnexpected(_ text: String) async throws {
        let daemon = try FakeDaemon([connectScene: [.text(text)]])
        let error = await #expect(throws: SceneError.self) { try await daemon.scene() }
        guard case .unexpected = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }

    @Test func notRunning() async throws {
        let path = try TemporaryDirectory.make("nobody") + "/session"
        await #expect(throws: SceneError.notRunning(socket: path)) {
            try await Scene.connect(app: "notes", on: Transport(socket: path, patience: 1))
        }
    }

    /// scened is there, but it hangs.
    @Test func noAnswerIsNotRunning() async throws {
        let daemon = try FakeDaemon([connectScene: [.hang]])
        await #expect(throws: SceneError.notRunning(socket: daemon.path)) { try await daemon.scene(patience: 1) }
        await daemon.closed()
    }

    @Test func aCancelledTaskGivesUp() async throws {
        let daemon = try FakeDaemon([connectScene: [.hang]])
        let task = Task { try await daemon.scene() }
        await daemon.called(connectScene)
        task.cancel()
        await #expect(throws: SceneError.cancelled) { try await task.value }
        await daemon.closed()
    }

    @Test func noApp() async throws {
        await #expect(throws: SceneError.noApp) { try await Scene.connect(app: "") }
    }

    @Test func connectsAsSoonAsSomebodyListens() async throws {
        let path = try TemporaryDirectory.make("later") + "/session"
        let task = Task { try await Scene.connect(app: "notes", on: Transport(socket: path, patience: 20)) }
        let daemon = try FakeDaemon([connectScene: [Fixture.snapshot()]], path: path)
        #expect(try await task.value.id == "w1")
        #expect(daemon.calls(of: connectScene).count == 1)
    }

    /// It comes back as the same scene, from where it was, and the app hears of each event once.
    @Test func resumesFromItsCursor() async throws {
        let gate = Gate()
        let daemon = try FakeDaemon([
            connectScene: [
                [Fixture.snapshot(1), Fixture.userChange(2, to: Fixture.ada), .close], [.close],
                [.awaitGate(gate), Fixture.resumed(2), Fixture.userChange(3, to: Fixture.bob)],
            ]
        ])
        let scene = try await daemon.scene()
        let iterator = scene.events.makeAsyncIterator()
        await daemon.called(connectScene, times: 3)
        gate.open()
        let tally = Tally()
        while let event = await iterator.next() {
            tally.add("\(event.kind) \(event.at.sequence)")
            if event.at.sequence == 3 { break }
        }
        let last = daemon.calls(of: connectScene)[2].parameters
        #expect(last.contains(#""scene":"w1""#))
        #expect(last.contains(#""sequence":2"#))
        #expect(tally.entries.first?.hasPrefix("snapshot") == true)
        #expect(tally.entries.last == "currentUserChanged 3")
        #expect(Set(tally.entries).count == tally.entries.count)
        #expect(scene.snapshot.current == Fixture.bob)
    }

    /// What has come of an event, when the connection is lost, does not count.
    @Test(arguments: [[], Array(#"{"parameters":{"event":{"kind":"locked","at":{"ep"#.utf8)])
    func isLostBetweenEvents(_ part: [UInt8]) async throws {
        let gate = Gate()
        let daemon = try FakeDaemon([
            connectScene: [
                [Fixture.snapshot(1), .awaitGate(gate), Fixture.userChange(2, to: Fixture.ada), .send(part), .close],
                [Fixture.resumed(2), .send(part), .close],
                [Fixture.resumed(2), Fixture.userChange(3, to: Fixture.bob), Fixture.userChange(4, to: nil)],
            ]
        ])
        let scene = try await daemon.scene()
        let tally = Tally()
        AuthHelper.registerBlock(forCurrentUserChangeNotifications: scene) { tally.add($0.current?.id ?? "nobody") }
        gate.open()
        await tally.reaches(3)
        await blocksHaveRun()
        #expect(tally.entries == ["a1", "b2", "nobody"])
        #expect(scene.snapshot.current == nil)
        let after = #""after":{"epoch":"e","sequence":2}"#
        #expect(daemon.calls(of: connectScene).map { $0.parameters.contains(after) } == [false, true, true])
    }

    /// All are cut off in one instant, again and again; they come back spread over time, each from where it was.
    @Test func manyDoNotComeBackInOneInstant() async throws {
        let (count, rounds) = (200, 7)
        let refusals = Array(repeating: [FakeDaemon.Step.close], count: count * (rounds - 1))
        let first = Array(repeating: [Fixture.snapshot(1, scene: nil)], count: count)
        let daemon = try FakeDaemon([connectScene: first + refusals + [[Fixture.resumed(1, scene: nil)]]])
        let transport = try Transport(socket: daemon.path)
        var scenes: [Scene] = []
        for number in 0..<count {
            scenes.append(try await Scene.connect(app: "notes", id: "w\(number)", on: transport))
        }
        daemon.endStreams()
        await daemon.called(connectScene, times: count * (rounds + 1))
        let calls = daemon.calls(of: connectScene)
        #expect(calls[count...].allSatisfy { $0.parameters.contains(#""after":{"epoch":"e","sequence":1}"#) })
        // Each scene's last attempt; pauses have grown by then.
        var last: [String: ContinuousClock.Instant] = [:]
        for call in calls[count...] {
            last[try #require(try ConnectScene.Parameters(parameters: JSONElement.parse(call.parameters)).scene)] =
                call.time
        }
        let times = last.values.sorted()
        #expect(times.count == count)
        let spread = try #require(times.last) - (try #require(times.first))
        #expect(spread > .milliseconds(250), "\(spread)")
        for scene in scenes { #expect(!scene.isClosed) }
    }

    /// A kind that this library does not know moves the cursor, and is not shown.
    @Test func unknownKindsOfEvents() async throws {
        let daemon = try FakeDaemon([
            connectScene: [
                [
                    Fixture.snapshot(1),
                    .text(
                        #"{"parameters":{"event":{"kind":"danced","at":{"epoch":"e","sequence":2},"steps":3}},"continues":true}"#
                    ),
                    .close,
                ],
                [Fixture.resumed(2), Fixture.userChange(3, to: Fixture.ada)],
            ],
            listAccounts: [[Fixture.accounts(2)]],
        ])
        let scene = try await daemon.scene()
        // Whose place in history is that event's.
        _ = try await scene.accounts()
        await daemon.called(connectScene, times: 2)
        #expect(daemon.calls(of: connectScene)[1].parameters.contains(#""sequence":2"#))
    }

    @Test func theNewerSceneOfOneProcessHasTheIdentifier() async throws {
        let daemon = try FakeDaemon([connectScene: [Fixture.snapshot(1)]])
        let transport = try Transport(socket: daemon.path)
        let older = try await Scene.connect(app: "notes", id: "w1", on: transport)
        let other = try await Scene.connect(app: "mail", id: "w1", on: transport)
        let newer = try await Scene.connect(app: "notes", id: "w1", on: transport)
        #expect(older.isClosed)
        #expect(!other.isClosed)
        #expect(!newer.isClosed)
        #expect(daemon.calls(of: connectScene).count == 3)
    }
}
