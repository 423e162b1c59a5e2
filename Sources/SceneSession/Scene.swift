import LinuxIO
import SceneModel
import SceneProtocol
import Varlink

/// A window of an app: a connection to scened that follows the app's session and comes back by itself.
///
/// All scenes of one app and one Unix user share one session: a sign-in, a switch or a sign-out made in one applies to
/// all. A scene lives until `close` or until nobody refers to it any more; a registered block that names it does, and so
/// does a loop over its events. Connecting with the identifier of a scene that this process has already closes that one.
public final class Scene: Sendable {
    let core: SceneCore

    /// The app, as scened's configuration names it.
    public var app: String { core.app }
    /// Persistent: a program that keeps it can be the same scene again after a restart of its own.
    public let id: String

    private init(_ core: SceneCore, id: String) {
        self.core = core
        self.id = id
    }

    deinit { core.close() }

    /// Becomes a scene of the app, and waits until scened has said how its session stands.
    ///
    /// - Parameters:
    ///   - app: by default the one that `SceneSession.configure(app:)` or `$SCENED_APP` names.
    ///   - id: an identifier of before, or none for a new one.
    ///   - title: what people call the window.
    /// - Throws: `notRunning` where no scened answers within 30 seconds; `Failure.unknownApp`, `.sceneInUse`,
    ///   `.accessDenied`.
    public static func connect(
        app: String? = nil, id: String? = nil, title: String? = nil
    ) async throws(SceneError) -> Scene {
        try await connect(app: SceneSession.app(app), id: id, title: title, on: Transport.shared())
    }

    static func connect(
        app: String, id: String? = nil, title: String? = nil, on transport: Transport
    ) async throws(SceneError) -> Scene {
        let core = SceneCore(app: app, id: id, title: title, on: transport)
        do throws(SceneError) {
            return Scene(core, id: try await core.connect())
        } catch {
            core.close()
            throw error
        }
    }

    /// How the session stands, as far as scened has told.
    public var snapshot: Snapshot { core.state.withLock(\.snapshot) }

    public var isClosed: Bool { core.state.withLock(\.isClosed) }

    /// The session's history from here on. Each loop over it begins with a `snapshot` of the present and then gets every
    /// event once, in order; where some were lost there is another `snapshot`, with `gap`. It ends when the scene closes.
    public var events: SceneEvents { SceneEvents(scene: self) }

    /// Gives the scene up: loops over its events end, no registered block runs any more, and a login screen that it
    /// shows goes to another scene.
    public func close() { core.close() }

    /// Tells scened whether the user looks at this scene, or what it is called now.
    public func update(activation: Activation? = nil, title: String? = nil) async throws(SceneError) {
        await core.updated(activation: activation, title: title)
        _ = try await core.call(
            UpdateScene.self, UpdateScene.Parameters(app: app, scene: id, activation: activation, title: title))
    }
}
