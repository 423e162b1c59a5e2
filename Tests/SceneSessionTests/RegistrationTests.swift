import SceneModel
import TestSupport
import Testing

@testable import SceneSession

@Suite(.timeLimit(.minutes(1))) struct RegistrationTests {
    /// A daemon whose scene hears of a change of user when the gate opens.
    private func daemon(_ gate: Gate, accounts: Int = 2) throws -> FakeDaemon {
        try FakeDaemon([
            connectScene: [Fixture.snapshot(1), .awaitGate(gate), Fixture.userChange(2, to: Fixture.ada)],
            listAccounts: [Fixture.accounts(accounts)],
        ])
    }

    @MainActor private func register(_ scene: Scene, _ tally: Tally, _ name: String) -> Registration {
        AuthHelper.registerBlock(forCurrentUserChangeNotifications: scene) { tally.add(name) }
    }

    @Test func aSecondRegistrationReplacesAndDoublesNothing() async throws {
        let gate = Gate()
        let scene = try await daemon(gate).scene()
        let tally = Tally()
        for name in ["first", "second", "second"] { _ = await register(scene, tally, name) }
        gate.open()
        _ = try await scene.accounts()
        await blocksHaveRun()
        #expect(tally.entries == ["first", "second", "second"])
    }

    /// Not even for an event of before, whose blocks are queued already.
    @Test func blocksOfAClosedSceneNeverRun() async throws {
        let gate = Gate()
        let daemon = try daemon(gate)
        let scene = try await daemon.scene()
        let tally = Tally()
        AuthHelper.registerBlock(forCurrentUserChangeNotifications: scene) {
            tally.add("closes")
            scene.close()
        }
        _ = await register(scene, tally, "closed")
        gate.open()
        await daemon.closed()
        await blocksHaveRun()
        _ = await register(scene, tally, "late")
        await blocksHaveRun()
        #expect(tally.entries == ["closes"])
    }

    @Test func aCancelledRegistrationHearsNothing() async throws {
        let gate = Gate()
        let scene = try await daemon(gate).scene()
        let tally = Tally()
        await register(scene, tally, "cancelled").cancel()
        _ = await register(scene, tally, "stays")
        gate.open()
        _ = try await scene.accounts()
        await blocksHaveRun()
        #expect(tally.entries == ["stays"])
    }

    /// The block holds the last reference to its scene: letting go of the one closes the other.
    @Test func aBlockMayHoldItsScene() async throws {
        let gate = Gate()
        let daemon = try daemon(gate)
        let registration = try await registerHolding(daemon)
        registration.cancel()
        daemon.stop(disconnecting: true)
        gate.open()
        await daemon.closed()
    }

    private func registerHolding(_ daemon: FakeDaemon) async throws -> Registration {
        let scene = try await daemon.scene()
        return AuthHelper.registerBlock(forLogoutNotifications: scene) { _ = scene.id }
    }

    @Test func blocksHearOfWhatAGapHid() async throws {
        let daemon = try FakeDaemon([
            connectScene: [
                [Fixture.snapshot(1, accounts: [Fixture.ada], current: Fixture.ada), .awaitCall(listAccounts), .close],
                [Fixture.snapshot(9, epoch: "f", gap: true, accounts: [Fixture.bob], current: Fixture.bob)],
            ],
            listAccounts: [[Fixture.accounts()]],
        ])
        let scene = try await daemon.scene()
        let tally = Tally()
        AuthHelper.registerBlock(forLogoutNotifications: scene) { event in
            tally.add("logout \(event.account?.id ?? "")")
        }
        AuthHelper.registerBlock(forCurrentUserChangeNotifications: scene) { event in
            tally.add("user \(event.current?.id ?? "")")
        }
        _ = try await scene.accounts()
        await tally.reaches(2)
        await blocksHaveRun()
        #expect(tally.entries == ["logout a1", "user b2"])
    }
}
