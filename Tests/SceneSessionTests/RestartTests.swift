import SceneModel
import TestSupport
import Testing

@testable import SceneSession

/// scened is killed, and started again; the app notices nothing but time.
@Suite(.timeLimit(.minutes(5))) struct RestartTests {
    @Test func betweenTwoCallsAndInALoopOverEvents() async throws {
        let session = try await RealSession()
        let scene = try await session.scene()
        let events = Tally()
        let started = scene.snapshot
        let loop = Task {
            var last: Cursor?
            for await event in scene.events {
                events.add("\(event.kind)")
                if let last {
                    #expect(event.at.epoch == last.epoch)
                    #expect(event.at.sequence == last.sequence + 1)
                }
                last = event.at
                if events.entries.count(where: { $0 == "unlocked" }) == 5 { break }
            }
        }
        await events.reaches(1)
        for _ in 0..<5 {
            try await scene.lock()
            try await session.restart()
            try await scene.unlock()
        }
        await loop.value
        #expect(events.entries == ["snapshot"] + (0..<5).flatMap { _ in ["locked", "unlocked"] })
        #expect(scene.snapshot == started)
    }

    /// Killed at once when the login is shown; the user then signs in at the screen that is shown after it.
    @Test func duringALogin() async throws {
        let session = try await RealSession()
        let window = await Window(try await session.scene())
        let screens = Tally()
        let outcomes = Tally()
        let sequences = Tally()
        let iterator = window.scene.events.makeAsyncIterator()
        let login = Task {
            let account = try await window.scene.loginIfRequired { progress in
                guard let screen = progress.loginScreen, !screens.entries.contains(screen) else { return }
                screens.add(screen)
            }
            outcomes.add(account.username ?? "?")
        }
        await screens.reaches(1)
        try await session.restart()
        await screens.reaches(2)
        let screen = screens.entries[1]
        try await blocking { try Provider.signIn("alice", at: screen) }
        try await login.value
        try await window.isUpToDate()
        #expect(outcomes.entries == ["alice"])
        #expect(window.users.entries == ["alice"])
        while let event = await iterator.next() {
            sequences.add("\(event.at.epoch) \(event.at.sequence)")
            if event.kind == .currentUserChanged { break }
        }
        #expect(Set(sequences.entries).count == sequences.entries.count)

        // And a token is there, before and after one more restart, for the same scene.
        let token = try await window.scene.accessToken()
        try await session.restart()
        #expect(try await window.scene.accessToken().value == token.value)
        #expect(try await window.scene.accounts().current?.username == "alice")
        #expect(window.users.entries == ["alice"])
    }

    @Test func manyScenesComeBack() async throws {
        let session = try await RealSession()
        var scenes: [Scene] = []
        for _ in 0..<20 { scenes.append(try await session.scene()) }
        try await session.restart()
        try await scenes[0].lock()
        for scene in scenes {
            for await event in scene.events where event.snapshot?.locked == true || event.kind == .locked { break }
            // Known to scened as the same scene again.
            try await scene.update(activation: .background)
        }
        #expect(Set(scenes.map(\.id)).count == 20)
    }

    /// The scene of one process, named again: the older ends, the newer goes on, and they do not fight.
    @Test func theSameSceneTwice() async throws {
        let session = try await RealSession()
        let older = try await session.scene(id: "window-1")
        let newer = try await session.scene(id: "window-1")
        #expect(older.isClosed)
        try await newer.lock()
        for await event in newer.events where event.snapshot?.locked == true || event.kind == .locked { break }
        await #expect(throws: SceneError.sceneClosed) { _ = try await older.accounts() }
    }

    @Test func aSceneOfAnotherProcessIsInUse() async throws {
        let session = try await RealSession()
        let other = try OtherProcess(session.daemon.socket)
        defer { other.end() }
        try await other.becomes("window-1")
        await #expect(throws: SceneError.failure(.sceneInUse("window-1"))) {
            _ = try await session.scene(id: "window-1")
        }
        other.end()
        #expect(try await session.scene(id: "window-1").id == "window-1")
    }
}

/// Another process that is a scene.
private struct OtherProcess {
    private let process: ChildProcess

    init(_ socket: String) throws {
        let script = """
            import socket, sys
            s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
            s.sendall(b'{"method":"org.scened.Session.ConnectScene","more":true,"parameters":{"app":"notes","scene":"'
                      + sys.stdin.readline().strip().encode() + b'"}}\\0')
            print("event", s.recv(65536)[:60], flush=True)
            sys.stdin.read()
            """
        process = try ChildProcess("/usr/bin/python3", ["-c", script, socket])
    }

    func becomes(_ id: String) async throws {
        process.type(id)
        _ = try await blocking { [process] in try process.line("event") }
    }

    func end() { process.end() }
}
