import SceneSession
import TerminalScreen

/// What happens to the window.
enum Input: Sendable {
    case terminal(TerminalInput.Event)
    /// How connecting to scened has ended.
    case scene(Result<Scene, SceneError>)
}
