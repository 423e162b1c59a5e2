import CommandLine
import SceneModel
import SceneProtocol
import Varlink

/// Turns scened's errors into a sentence, an exit code and the next command.
struct Refusal {
    /// ` --app NAME` where the user named the app, so that a suggested line can be typed as it stands.
    var appOption: String
    /// The line that shows the help of the verb that failed.
    var helpLine: String

    func failure(errorName: String, parameters: JSONElement?) -> CommandFailure {
        let session = "org.scened.Session."
        let manager = "org.scened.Manager."
        let name = errorName.hasPrefix(manager) ? session + errorName.dropFirst(manager.count) : errorName
        if let failure = Failure(errorName: name, parameters: parameters) { return describe(failure) }
        switch errorName {
        case "org.varlink.service.MethodNotFound", "org.varlink.service.InterfaceNotFound",
            "org.varlink.service.MethodNotImplemented":
            return CommandFailure(
                .failure, "The running scened is older than this scenectl and does not know the call",
                suggestion: "systemctl --user restart scened")
        case "org.varlink.service.PermissionDenied":
            return CommandFailure(.denied, "scened refuses", suggestion: "scenectl apps")
        default:
            return CommandFailure(
                .failure, "scened answered with the error \(Inert.quoted(errorName))", suggestion: "scenectl status")
        }
    }

    func describe(_ failure: Failure) -> CommandFailure {
        switch failure {
        case .unknownApp(let app):
            CommandFailure(.configuration, "No app \(quoted(app)) is configured", suggestion: "scenectl apps")
        case .unknownAccount(let account):
            CommandFailure(
                .failure, "No account \(quoted(account)) is signed in", suggestion: "scenectl accounts\(appOption)")
        case .unknownScene(let scene):
            CommandFailure(.failure, "No scene \(quoted(scene)) is connected", suggestion: "scenectl scenes")
        case .sceneInUse(let scene):
            CommandFailure(.failure, "Another process is the scene \(quoted(scene))", suggestion: "scenectl scenes")
        case .unknownRequest(let request):
            CommandFailure(
                .failure, "No request \(quoted(request)) waits for an answer",
                suggestion: "scenectl authorize\(appOption)")
        case .invalidParameter(let parameter):
            CommandFailure(.failure, "scened does not accept the value of \(quoted(parameter))", suggestion: helpLine)
        case .storageUnavailable(let reason):
            CommandFailure(
                .tryAgain, "scened cannot read or write its state: \(withoutStop(Inert.text(reason)))",
                suggestion: "scenectl status")
        case .quotaExceeded("descriptors", let limit):
            CommandFailure(
                .tryAgain,
                "All users together have the \(limit) connections that there can be (LimitNOFILE= of scened)",
                suggestion: "sudo scenectl scenes")
        case .quotaExceeded(let resource, let limit):
            CommandFailure(
                .tryAgain,
                "scened allows you \(limit) \(Inert.text(resource)) at the most ([Quota] in scened.conf)",
                // This user's would be refused like this one.
                suggestion: resource == "connections" ? "sudo scenectl scenes" : "scenectl scenes")
        case .accessDenied(let reason):
            CommandFailure(.denied, "scened refuses: \(Inert.text(reason))", suggestion: "scenectl apps")
        case .sessionLocked:
            CommandFailure(.denied, "The session is locked", suggestion: "scenectl unlock\(appOption)")
        default: describeLogin(failure)
        }
    }

    private func describeLogin(_ failure: Failure) -> CommandFailure {
        let login = "scenectl login\(appOption)"
        switch failure {
        case .notSignedIn:
            return CommandFailure(.interactionRequired, "Nobody is signed in", suggestion: login)
        case .interactionRequired(let reason):
            let why = reason.isEmpty ? "" : ": " + Inert.text(reason)
            return CommandFailure(.interactionRequired, "The user has to sign in\(why)", suggestion: login)
        case .loginCancelled:
            return CommandFailure(.denied, "The login was cancelled", suggestion: login)
        case .loginTimedOut:
            return CommandFailure(.tryAgain, "Nobody signed in in time", suggestion: "\(login) --timeout SECONDS")
        case .loginHostUnavailable(let seconds):
            let wait = seconds.map { ", and asks to wait \(Elapsed.text(seconds: $0))" } ?? ""
            return CommandFailure(
                .tryAgain, "The login host cannot be reached or is overloaded\(wait)", suggestion: "scenectl status")
        case .unknownLoginHost(let url):
            return CommandFailure(
                .failure, "\(quoted(url)) is not a login host of the app", suggestion: "scenectl hosts list\(appOption)"
            )
        case .invalidLoginHost(let url, let reason):
            return CommandFailure(
                .failure, "\(quoted(url)) cannot be a login host: \(Inert.text(reason))",
                suggestion: "scenectl hosts list\(appOption)")
        case .loginHostNotRemovable(let url):
            return CommandFailure(
                .denied, "\(quoted(url)) is the app's or the administrator's; only your own can be removed",
                suggestion: "scenectl hosts list\(appOption)")
        case .loginFailed("access_denied", _):
            return CommandFailure(.denied, "The login host or the user denied the login", suggestion: login)
        case .loginFailed("expired_token", _):
            return CommandFailure(.tryAgain, "Nobody used the code in time", suggestion: "\(login) --device")
        case .loginFailed("noDeviceFlow", let description):
            let why = description.map { ": " + Inert.text($0) } ?? ""
            return CommandFailure(
                .failure, "No code for another device can be had\(why)", suggestion: "\(login) --no-browser")
        case .loginFailed("login_in_progress", _):
            return CommandFailure(
                .failure, "Another login is under way", suggestion: "\(login) --if-required")
        case .loginFailed(let code, let description):
            return describeLogin(failed: code, description, login)
        default:
            return CommandFailure(.failure, "scened refused the call", suggestion: "scenectl status")
        }
    }

    /// A token may fail so, too, without a login.
    private func describeLogin(failed code: String, _ description: String?, _ login: String) -> CommandFailure {
        let text = description.map { Inert.text($0) + " (\(Inert.text(code)))" } ?? Inert.text(code)
        switch code {
        case "clientCredentialUnusable":
            return CommandFailure(
                .configuration, "The app cannot show the login host who it is: \(text)",
                suggestion: "scened --check-config")
        case "invalid_client", "unauthorized_client", "unsupported_grant_type":
            return CommandFailure(
                .configuration, "The login host does not accept the app: \(text)", suggestion: "scenectl apps")
        case "invalid_token_response", "invalid_id_token", "id_token_missing", "invalid_metadata", "issuer_mismatch":
            return CommandFailure(
                .failure, "The login host's answer is not in order: \(text)", suggestion: "scenectl status")
        case "loginInterrupted":
            return CommandFailure(.tryAgain, "The login was interrupted: \(text)", suggestion: login)
        case "authorizationExpired":
            return CommandFailure(
                .tryAgain, "Nobody answered in the app's identity provider", suggestion: "\(login) --local")
        case "otherAccount":
            return CommandFailure(
                .denied, "Another user is signed in at the login host than was picked", suggestion: "\(login) --local")
        default:
            return CommandFailure(.failure, "The login failed: \(text)", suggestion: login)
        }
    }

    private func quoted(_ text: String) -> String { Inert.quoted(text) }

    /// Reasons of the store are sentences; the failure brings a full stop of its own.
    private func withoutStop(_ text: String) -> String { text.hasSuffix(".") ? String(text.dropLast()) : text }
}
