import LinuxIO
import SceneModel

/// A block that was registered for events. It stays registered, whether or not this is kept, until `cancel` or until its
/// scene closes.
public final class Registration: Sendable {
    enum Kind: Sendable {
        case userChange(AuthHelper.EventBlock)
        case logout(AuthHelper.EventBlock)
        /// For requests that this scene is to ask the user about.
        case authorizationRequest(AuthHelper.EventBlock, scene: String)
        case loginHostChange(AuthHelper.EventBlock)

        /// The block, for those events that it is for.
        var filtered: AuthHelper.EventBlock {
            switch self {
            case .userChange(let block):
                { event in if event.kind == .currentUserChanged { block(event) } }
            case .logout(let block):
                { event in if event.kind == .loggedOut { block(event) } }
            case .authorizationRequest(let block, let scene):
                { event in if event.kind == .authorizationRequested, event.presenter == scene { block(event) } }
            case .loginHostChange(let block):
                { event in if event.kind == .loginHostChanged { block(event) } }
            }
        }
    }

    private enum State: Sendable {
        /// The process's scene is not connected yet.
        case waiting
        case registered(SceneCore, Int)
        case cancelled
    }

    private let state = Locked(State.waiting)

    private init() {}

    /// The block runs for no event any more.
    public func cancel() {
        let former = state.withLock { state in
            defer { state = .cancelled }
            return state
        }
        guard case .registered(let core, let number) = former else { return }
        core.unregister(number)
    }

    static func add(_ kind: Kind, to scene: Scene) -> Registration {
        let registration = Registration()
        registration.register(kind, scene.core)
        return registration
    }

    /// With the process's own scene, as soon as that is connected.
    static func addToProcess(_ kind: Kind) -> Registration {
        let registration = Registration()
        ProcessScene.whenConnected { registration.register(kind, $0.core) }
        return registration
    }

    private func register(_ kind: Kind, _ core: SceneCore) {
        state.withLock { state in
            guard case .waiting = state else { return }
            state = core.register(kind.filtered).map { .registered(core, $0) } ?? .cancelled
        }
    }
}
