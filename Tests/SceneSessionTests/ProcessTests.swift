import SceneModel
import SceneProtocol
import TestSupport
import Testing

/// A program of its own, with a run loop of its own and no scene: Tests/session-probe.
@Suite(.timeLimit(.minutes(5))) struct ProcessTests {
    /// `opener`: what xdg-open does, where there is a display.
    private func probe(_ session: RealSession, opener: String? = nil) throws -> ChildProcess {
        var environment: [String: String] = [:]
        if let opener {
            let directory = try TemporaryDirectory.make("bin")
            try Spawning.script("#!/bin/sh\n\(opener)\n", at: directory + "/xdg-open")
            environment = ["DISPLAY": ":9", "PATH": "\(directory):/usr/bin:/bin"]
        }
        let probe = try ChildProcess(Spawning.built("session-probe"), [], environment: environment)
        probe.type("configure notes \(session.daemon.socket)")
        return probe
    }

    private func screen(_ probe: ChildProcess, _ number: Int) async throws -> String {
        let prefix = "To sign in, open this address in your browser: "
        return String(try await line(probe, prefix, number).dropFirst(prefix.count))
    }

    @discardableResult
    private func line(_ probe: ChildProcess, _ prefix: String, _ number: Int = 1) async throws -> String {
        try await blocking { try probe.line(prefix, number: number) }
    }

    private func count(_ probe: ChildProcess, _ line: String) -> Int { probe.written().count { $0 == line } }

    @Test func theCallsWithoutAScene() async throws {
        let session = try await RealSession()
        let probe = try probe(session)
        defer { probe.end() }
        probe.type("register first")
        probe.type("loginIfRequired")
        probe.type("loginIfRequired-plain")
        let first = try await screen(probe, 1)
        try await blocking { try Provider.signIn("alice", at: first) }
        try await line(probe, "completed alice")
        try await line(probe, "completed plainly")
        try await line(probe, "user first alice")

        probe.type("register second")
        probe.type("login")
        let second = try await screen(probe, 2)
        try await blocking { try Provider.signIn("bob", at: second) }
        try await line(probe, "login bob")
        try await line(probe, "user second bob")
        probe.type("accounts")
        try await line(probe, "accounts bob alice,bob")

        // One is left.
        probe.type("logout")
        try await line(probe, "logged out bob")
        probe.type("handleLogout")
        try await line(probe, "handled alice")
        // Nobody is left, and scened is another meanwhile.
        probe.type("logout")
        try await line(probe, "logged out alice")
        try await session.restart()
        probe.type("handleLogout-plain")
        let third = try await screen(probe, 3)
        try await blocking { try Provider.signIn("carol", at: third) }
        try await line(probe, "handled plainly")
        try await line(probe, "user second carol")

        probe.type("ping end")
        try await line(probe, "pong end")
        for name in ["first", "second"] {
            let expected = ["bob", "alice", "nobody", "carol"].map { "user \(name) \($0)" }
            let users = probe.written().filter { $0.hasPrefix("user \(name) ") }
            #expect(users == (name == "first" ? ["user first alice"] + expected : expected))
            #expect(count(probe, "logout \(name) bob") == 1)
            #expect(count(probe, "logout \(name) alice") == 1)
            #expect(count(probe, "main \(name)") == 2, "on the main thread")
        }
        for once in ["completed alice", "completed plainly", "login bob", "handled alice", "handled plainly"] {
            #expect(count(probe, once) == 1, "\(once)")
        }
        probe.endInput()
        #expect(probe.wait() == 0)
    }

    @Test func theBrowserIsOpenedWhereThereIsADisplay() async throws {
        let session = try await RealSession()
        let visitor = Spawning.root + "/Tests/acceptance/visitor.py"
        let probe = try probe(session, opener: "exec /usr/bin/python3 -B \(visitor) alice \"$1\"")
        defer { probe.end() }
        probe.type("loginIfRequired")
        try await line(probe, "completed alice")
        #expect(probe.written() == ["completed alice"])
    }

    @Test func theAddressIsToldWhereNoBrowserOpens() async throws {
        let session = try await RealSession()
        let probe = try probe(session, opener: "exit 3")
        defer { probe.end() }
        probe.type("loginIfRequired")
        let screen = try await screen(probe, 1)
        #expect(screen.hasPrefix("http://127.0.0.1:"))
    }

    /// scened hangs: calls wait, and the program's own thread goes on.
    @Test func theMainThreadIsNeverBlocked() async throws {
        let session = try await RealSession()
        let probe = try probe(session)
        defer { probe.end() }
        probe.type("register first")
        probe.type("loginIfRequired")
        let first = try await screen(probe, 1)
        try await blocking { try Provider.signIn("alice", at: first) }
        try await line(probe, "completed alice")

        session.daemon.suspend()
        for number in 0..<200 {
            // More than scened's backlog takes.
            probe.type("loginIfRequired")
            probe.type("register \(number)")
            probe.type("accounts")
            probe.type("ping \(number)")
        }
        try await line(probe, "pong 199")
        #expect(probe.written().count { $0 == "completed alice" } == 1)
        session.daemon.resume()
        try await line(probe, "completed alice", 201)
        probe.type("ping end")
        try await line(probe, "pong end")
        #expect(count(probe, "completed alice") == 201)
        #expect(!probe.written().contains { $0.hasPrefix("completed") && $0 != "completed alice" })
    }

    /// Registrations of before the app is named are heard all the same, and scened may come last.
    @Test func namedLater() async throws {
        let session = try await RealSession()
        let probe = try ChildProcess(Spawning.built("session-probe"), [])
        defer { probe.end() }
        probe.type("register early")
        probe.type("loginIfRequired")
        try await line(probe, "completed no app is named")
        session.daemon.kill()
        probe.type("configure notes \(session.daemon.socket)")
        probe.type("ping 1")
        try await line(probe, "pong 1")
        try await blocking { [daemon = session.daemon] in try daemon.start() }
        let scene = try await session.scene()
        // The probe's scene is there when it follows; a sign-in made elsewhere is heard of.
        probe.type("loginIfRequired")
        let first = try await screen(probe, 1)
        try await blocking { try Provider.signIn("alice", at: first) }
        try await line(probe, "user early alice")
        // What the probe has heard this scene may not have heard yet: it would sign nobody out.
        try await scene.logout(scene.accounts().current)
        try await line(probe, "logout early alice")
    }

    /// All on the main thread, whose loop is the program's own.
    @Test func aProgramPresentsItsLoginsItself() async throws {
        let session = try await RealSession()
        let probe = try probe(session)
        defer { probe.end() }
        probe.type("present Mine")
        probe.type("loginIfRequired")
        probe.type("loginIfRequired-plain")
        try await line(probe, "loaded Mine main")
        try await line(probe, "presenting http://127.0.0.1:")
        probe.type("back")
        try await line(probe, "completed loginCancelled")
        try await line(probe, "completed plainly")
        #expect(count(probe, "ended") == 1)

        probe.type("loginIfRequired")
        let shown = try await line(probe, "presenting ", 2)
        let screen = String(shown.dropFirst("presenting ".count))
        try await blocking { try Provider.signIn("alice", at: screen) }
        try await line(probe, "completed alice")
        #expect(count(probe, "ended alice") == 1)
        #expect(probe.written().count { $0.hasPrefix("loaded") } == 2)
        #expect(!probe.written().contains { $0.hasPrefix("To sign in") })
    }

    @Test func aCodeForAnotherDeviceIsNamedOnce() async throws {
        func progress(_ state: LoginProgress.State) -> FakeDaemon.Step {
            var progress = LoginProgress(state)
            progress.userCode = "WDJB-MJHT"
            progress.verificationUri = "https://login.example.com/device"
            return .reply(LoginIfRequired.Reply(progress: progress), continues: true)
        }
        let gate = Gate()
        let daemon = try FakeDaemon([
            ConnectScene.name: [Fixture.snapshot(1), Fixture.userChange(2, to: Fixture.ada)],
            GetLoginScreen.name: [.reply(GetLoginScreen.Reply())],
            // Another window showed it first.
            LoginIfRequired.name: [
                progress(.waiting), progress(.presenting), progress(.presenting), .awaitGate(gate), Fixture.signedIn(2),
            ],
        ])
        let probe = try ChildProcess(Spawning.built("session-probe"), [])
        defer { probe.end() }
        probe.type("configure notes \(daemon.path)")
        probe.type("loginIfRequired")
        let code = "To sign in, open https://login.example.com/device on any device and enter the code WDJB-MJHT there"
        try await line(probe, code)
        gate.open()
        try await line(probe, "completed ada")
        #expect(count(probe, code) == 1)
    }

    @Test func loadsNoFoundation() async throws {
        let probe = try ChildProcess(Spawning.built("session-probe"), [])
        defer { probe.end() }
        probe.type("maps")
        let maps = try await line(probe, "maps ")
        #expect(maps.contains("libswiftCore.so"))
        #expect(!maps.contains("libFoundation.so"))
        #expect(!maps.contains("libFoundationInternationalization.so"))
    }
}
