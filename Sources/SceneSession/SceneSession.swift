import Glibc
import LinuxIO
@_exported import SceneModel
import SceneProtocol

/// What holds for all scenes of this process.
public enum SceneSession {
    /// Names the app for calls without one, in place of `$SCENED_APP`.
    ///
    /// - Parameters:
    ///   - app: as in `apps.d/NAME.conf`.
    ///   - socket: where scened listens; by default `$SCENED_SOCKET`, the user's own instance, the machine's.
    public static func configure(app: String, socket: String? = nil) {
        settings.withLock {
            $0.app = app
            if let socket { $0.socket = socket }
        }
        ProcessScene.configured()
    }

    /// Gives work to the main actor in a program whose run loop is not Swift's own: `schedule` has to run what it is
    /// passed on the main thread, soon. Without it, blocks are run by Swift's main executor.
    ///
    /// In such a program a `Task` on the main actor never runs: make async calls from a detached one.
    public static func deliverBlocks(by schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        settings.withLock { $0.schedule = schedule }
        BlockQueue.scheduleAgain()
    }

    struct Settings {
        /// As it was when the library was first used: a program that changes its own later must not race with us.
        let environment = SceneSession.environment(
            "SCENED_APP", "SCENED_SOCKET", "XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY", "TERM", "COLORTERM",
            "NO_COLOR", "SSH_CONNECTION")
        var app: String?
        var socket: String?
        var schedule: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
        var loginScreenConfiguration = LoginScreenConfiguration()
        var loginScreenCreationBlock: LoginScreenCreationBlock?
    }

    static let settings = Locked(Settings())

    static func app(_ named: String?) throws(SceneError) -> String {
        let settings = settings.withLock(\.self)
        guard let app = named ?? settings.app ?? settings.environment["SCENED_APP"], !app.isEmpty else { throw .noApp }
        return app
    }

    static var socketPath: String {
        let settings = settings.withLock(\.self)
        return SessionSocket.path(
            named: settings.socket, environment: settings.environment, exists: { access($0, F_OK) == 0 })
    }

    static var environment: [String: String] { settings.withLock(\.environment) }

    private static func environment(_ names: String...) -> [String: String] {
        var environment: [String: String] = [:]
        for name in names {
            if let value = getenv(name) { environment[name] = String(cString: value) }
        }
        return environment
    }
}
