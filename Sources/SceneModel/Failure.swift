/// Why a call of org.scened.Session ended without success: its errors, one for one.
public enum Failure: Error, Hashable, Sendable {
    case unknownApp(String)
    case unknownScene(String)
    case unknownAccount(String)
    case unknownLoginHost(String)
    case loginHostNotRemovable(String)
    case invalidLoginHost(url: String, reason: String)
    /// The scene's identifier belongs to a scene that is connected by another process.
    case sceneInUse(String)
    /// No such authorization request waits for an answer: it was answered, it expired, or it is another app's.
    case unknownRequest(String)
    case notSignedIn
    /// The user would have to be asked, and the caller forbade it or nobody is there.
    case interactionRequired(reason: String)
    case loginCancelled
    case loginTimedOut
    /// `code` is the login host's OAuth error code, or one of README's "Reasons".
    case loginFailed(code: String, description: String?)
    /// The login host cannot be reached or is overloaded; nothing is lost.
    case loginHostUnavailable(retryAfterSeconds: Int?)
    /// State cannot be read or written; nothing is lost.
    case storageUnavailable(reason: String)
    case sessionLocked
    case accessDenied(reason: String)
    case quotaExceeded(resource: String, limit: Int)
    /// org.varlink.service.InvalidParameter.
    case invalidParameter(String)
}

extension Failure {
    /// The login host has no device endpoint, or not for this client (RFC 8628, section 3.1; RFC 6749, section 5.2).
    package var lacksDeviceFlow: Bool {
        guard case .loginFailed(let code, _) = self else { return false }
        return ["noDeviceFlow", "unauthorized_client", "unsupported_grant_type", "invalid_client"].contains(code)
    }
}
