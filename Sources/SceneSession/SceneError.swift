import SceneModel

/// Why a call of this library ended without success.
public enum SceneError: Error, Hashable, Sendable {
    /// scened does not answer at this socket, and has not for a while.
    case notRunning(socket: String)
    /// The connection was lost during a call that may not be made twice: it may or may not have had its effect.
    case connectionLost
    /// The scene has been closed.
    case sceneClosed
    /// The task that waited was cancelled.
    case cancelled
    /// No app is named: call `SceneSession.configure(app:)` or set `SCENED_APP`.
    case noApp
    /// scened's own answer.
    case failure(Failure)
    /// scened answered what this library does not understand.
    case unexpected(String)
}

extension SceneError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notRunning(let socket): "scened is not running at \(socket)"
        case .connectionLost: "the connection to scened was lost; whether the call had its effect is unknown"
        case .sceneClosed: "the scene has been closed"
        case .cancelled: "the task was cancelled"
        case .noApp: "no app is named: call SceneSession.configure(app:) or set SCENED_APP"
        case .failure(let failure): "\(failure)"
        case .unexpected(let what): "scened answered something unexpected: \(what)"
        }
    }
}
