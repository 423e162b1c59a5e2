import SceneModel
import TestSupport
import Testing

@testable import SceneSession

/// scened as it is, with a real provider behind it.
final class RealSession: Sendable {
    let daemon: Daemon
    let transport: Transport

    /// `keys`: more lines of the app's configuration.
    init(_ keys: String = "") async throws {
        daemon = try await blocking {
            let provider = try Provider.shared.get()
            return try Daemon(apps: [
                "notes": provider.app(keys), "lost": provider.app("[LoginHost]\nURL=http://127.0.0.1:9\nLabel=Nobody"),
            ])
        }
        transport = try Transport(socket: daemon.socket)
    }

    func scene(app: String = "notes", id: String? = nil) async throws -> Scene {
        try await Scene.connect(app: app, id: id, on: transport)
    }

    func restart() async throws {
        try await blocking { [daemon] in try daemon.restart() }
    }

    /// Shows a login as a user's browser does, who signs in at once.
    static func browser(_ user: String, shown: Tally = Tally()) -> LoginProgressBlock {
        { progress in
            guard progress.state == .presenting, let screen = progress.loginScreen,
                !shown.entries.contains(screen)
            else { return }
            shown.add(screen)
            Task.detached {
                do {
                    try await blocking { try Provider.signIn(user, at: screen) }
                } catch {
                    Issue.record(error)
                }
            }
        }
    }
}

/// A window that counts what its blocks are told.
struct Window {
    let scene: Scene
    let users = Tally()
    let logouts = Tally()
    let plain = Tally()

    @MainActor init(_ scene: Scene) {
        self.scene = scene
        register()
    }

    /// Once more, with the same blocks.
    @MainActor func register() {
        AuthHelper.registerBlock(forCurrentUserChangeNotifications: scene) { [users] event in
            users.add(event.current?.username ?? "nobody")
        }
        AuthHelper.registerBlock(forLogoutNotifications: scene) { [logouts] event in
            logouts.add(event.account?.username ?? "?")
        }
        AuthHelper.registerBlock(forLogoutNotifications: scene) { [plain] in plain.add("logout") }
    }

    /// What has happened up to now has reached its blocks.
    func isUpToDate() async throws {
        _ = try await scene.accounts()
        await blocksHaveRun()
    }
}
