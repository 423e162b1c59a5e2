import CommandLine
import SceneModel

/// Why a call did not do what the user wanted, as one inert clause.
package enum FailureText {
    package static func text(_ error: SceneError) -> String {
        switch error {
        case .notRunning(let socket): "scened is not running at \(Inert.text(socket))"
        case .connectionLost: "scened went away; whether the call had its effect is unknown"
        case .noApp: "no app is named"
        case .sceneClosed, .cancelled: "given up"
        case .failure(let failure): text(failure)
        case .unexpected(let what): "scened answered something unexpected: \(Inert.text(what))"
        }
    }

    private static func text(_ failure: Failure) -> String {
        switch failure {
        case .unknownApp(let app): "no app \(Inert.quoted(app)) is configured"
        case .unknownScene: "scened does not know this scene"
        case .unknownAccount: "that account is not signed in any more"
        case .sceneInUse(let scene): "another process is the scene \(Inert.quoted(scene))"
        case .unknownRequest: "that request does not wait for an answer any more"
        case .notSignedIn: "nobody is signed in"
        case .interactionRequired(let reason): "the user has to sign in again (\(Inert.text(reason)))"
        case .loginCancelled: "the login was cancelled"
        case .loginTimedOut: "nobody signed in in time"
        case .loginFailed("login_in_progress", _): "another login is under way"
        case .loginFailed(let code, let description):
            "the login failed: " + (description.map { "\(Inert.text($0)) (\(Inert.text(code)))" } ?? Inert.text(code))
        case .loginHostUnavailable: "the login host cannot be reached"
        case .storageUnavailable(let reason): "scened cannot read or write its state: \(Inert.text(reason))"
        case .sessionLocked: "the session is locked"
        case .accessDenied(let reason): "scened refuses: \(Inert.text(reason))"
        case .quotaExceeded(let resource, let limit): "scened allows \(limit) \(Inert.text(resource)) at the most"
        case .invalidParameter(let name): "scened does not accept \(Inert.quoted(name))"
        case .unknownLoginHost(let url): "there is no login host \(Inert.quoted(url))"
        case .loginHostNotRemovable(let url): "the login host \(Inert.quoted(url)) cannot be removed"
        case .invalidLoginHost(let url, let reason):
            "\(Inert.quoted(url)) cannot be a login host: \(Inert.text(reason))"
        }
    }
}
