import Foundation
import LinuxIO
import SceneModel
import SceneProtocol
import TestSupport
import Testing
import Varlink

@testable import SceneSession

/// What scened would say.
enum Fixture {
    static let ada = Account(id: "a1", issuer: "https://login.example.com", subject: "s1", username: "ada")
    static let bob = Account(id: "b2", issuer: "https://login.example.com", subject: "s2", username: "bob")

    static func at(_ sequence: Int, epoch: String = "e") -> Cursor { Cursor(epoch: epoch, sequence: sequence) }

    static func snapshot(
        _ sequence: Int = 1, epoch: String = "e", scene: String? = "w1", gap: Bool = false, accounts: [Account] = [],
        current: Account? = nil
    ) -> FakeDaemon.Step {
        var event = Event(.snapshot, at: at(sequence, epoch: epoch))
        event.scene = scene
        event.gap = gap
        var snapshot = Snapshot()
        snapshot.accounts = accounts
        snapshot.current = current
        event.snapshot = snapshot
        return .event(event)
    }

    static func resumed(_ sequence: Int, scene: String? = "w1") -> FakeDaemon.Step {
        var event = Event(.resumed, at: at(sequence))
        event.scene = scene
        return .event(event)
    }

    static func userChange(_ sequence: Int, to account: Account?, epoch: String = "e") -> FakeDaemon.Step {
        var event = Event(.currentUserChanged, at: at(sequence, epoch: epoch))
        event.current = account
        return .event(event)
    }

    static func signedIn(_ sequence: Int, _ account: Account = ada) -> FakeDaemon.Step {
        var progress = LoginProgress(.signedIn)
        progress.account = account
        progress.at = at(sequence)
        return .reply(LoginIfRequired.Reply(progress: progress))
    }

    static func presenting(_ screen: String) -> FakeDaemon.Step {
        var progress = LoginProgress(.presenting)
        progress.loginScreen = screen
        return .reply(LoginIfRequired.Reply(progress: progress), continues: true)
    }

    static func accounts(_ sequence: Int = 1, _ accounts: [Account] = []) -> FakeDaemon.Step {
        .reply(ListAccounts.Reply(accounts: accounts, current: accounts.first, at: at(sequence)))
    }
}

/// Blocks and events that a test counts, and waits for.
final class Tally: Sendable {
    private struct State {
        var entries: [String] = []
        var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Locked(State())

    var entries: [String] { state.withLock(\.entries) }

    func add(_ entry: String) {
        let due = state.withLock { state in
            state.entries.append(entry)
            let count = state.entries.count
            defer { state.waiting.removeAll { $0.count <= count } }
            return state.waiting.filter { $0.count <= count }
        }
        for waiter in due { waiter.continuation.resume() }
    }

    func reaches(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.entries.count >= count { return true }
                state.waiting.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}

/// Every block that was queued before this has run when it returns.
func blocksHaveRun() async {
    await withCheckedContinuation { continuation in BlockQueue.add { continuation.resume() } }
}

extension FakeDaemon {
    /// A scene at this daemon, by a thread of its own.
    func scene(id: String? = nil, patience: Int = 20) async throws -> Scene {
        try await Scene.connect(app: "notes", id: id, on: Transport(socket: path, patience: patience))
    }
}

let connectScene = ConnectScene.name
let listAccounts = ListAccounts.name
let loginIfRequired = LoginIfRequired.name
