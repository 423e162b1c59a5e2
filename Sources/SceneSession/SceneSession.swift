import Glibc
import LinuxIO
@_exported import SceneModel

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
    }

    /// Gives work to the main actor in a program whose run loop is not Swift's own: `schedule` has to run what it is
    /// passed on the main thread, soon. Without it, blocks are run by Swift's main executor.
    public static func deliverBlocks(by schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        settings.withLock { $0.schedule = schedule }
    }

    struct Settings {
        var app = getenv("SCENED_APP").map { String(cString: $0) }
        var socket: String?
        var schedule: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
    }

    static let settings = Locked(Settings())

    static func app(_ named: String?) throws(SceneError) -> String {
        guard let app = named ?? settings.withLock(\.app), !app.isEmpty else { throw .noApp }
        return app
    }

    static func environment(_ names: String...) -> [String: String] {
        var environment: [String: String] = [:]
        for name in names {
            if let value = getenv(name) { environment[name] = String(cString: value) }
        }
        return environment
    }
}

/// Blocks for the main actor: one after the other, in the order in which they were put here.
enum BlockQueue {
    private struct Waiting {
        var blocks: [@MainActor @Sendable () -> Void] = []
        var isScheduled = false
    }

    private static let waiting = Locked(Waiting())

    static func add(_ block: @escaping @MainActor @Sendable () -> Void) {
        let schedules = waiting.withLock { waiting in
            waiting.blocks.append(block)
            defer { waiting.isScheduled = true }
            return !waiting.isScheduled
        }
        guard schedules else { return }
        if let schedule = SceneSession.settings.withLock(\.schedule) {
            schedule { MainActor.assumeIsolated { run() } }
        } else {
            Task { @MainActor in run() }
        }
    }

    @MainActor private static func run() {
        let blocks = waiting.withLock { waiting in
            defer { waiting = Waiting() }
            return waiting.blocks
        }
        for block in blocks { block() }
    }
}
