import SceneModel
import Varlink

extension Failure {
    /// The error's full name; one of org.scened.Session, but for `invalidParameter`.
    package var errorName: String {
        if case .invalidParameter = self { return "org.varlink.service.InvalidParameter" }
        return "\(SessionInterface.name).\(shortName)"
    }

    /// The error as a frame of org.scened.Session.
    package var message: [UInt8] { VarlinkMessage.error(errorName, FailureParameters(self)) }

    /// The error's name where org.scened.Manager has it too.
    private var managerErrorName: String? {
        switch self {
        case .unknownApp, .accessDenied: "\(ManagerInterface.name).\(shortName)"
        default: nil
        }
    }

    /// The error as a frame of org.scened.Manager, as far as that interface has it.
    package var managerMessage: [UInt8] {
        VarlinkMessage.error(managerErrorName ?? errorName, FailureParameters(self))
    }

    /// For clients: the failure that either interface's error stands for. Nil where we do not know it.
    package init?(errorName: String, parameters: JSONElement?) {
        let prototype = Self.prototypes.first { $0.errorName == errorName || $0.managerErrorName == errorName }
        guard let prototype, let read = try? FailureParameters(prototype).reading(parameters) else { return nil }
        self = read.failure
    }

    /// One of each, in the order of the interface text.
    static let prototypes: [Failure] = [
        .unknownApp(""), .unknownScene(""), .unknownAccount(""), .unknownLoginHost(""), .loginHostNotRemovable(""),
        .invalidLoginHost(url: "", reason: ""), .sceneInUse(""), .unknownRequest(""), .notSignedIn,
        .interactionRequired(reason: ""), .loginCancelled, .loginTimedOut, .loginFailed(code: "", description: nil),
        .loginHostUnavailable(retryAfterSeconds: nil), .storageUnavailable(reason: ""), .sessionLocked,
        .accessDenied(reason: ""), .quotaExceeded(resource: "", limit: 0), .invalidParameter(""),
    ]
}

extension Failure {
    var shortName: String {
        switch self {
        case .unknownApp: "UnknownApp"
        case .unknownScene: "UnknownScene"
        case .unknownAccount: "UnknownAccount"
        case .unknownLoginHost: "UnknownLoginHost"
        case .loginHostNotRemovable: "LoginHostNotRemovable"
        case .invalidLoginHost: "InvalidLoginHost"
        case .sceneInUse: "SceneInUse"
        case .unknownRequest: "UnknownRequest"
        case .notSignedIn: "NotSignedIn"
        case .interactionRequired: "InteractionRequired"
        case .loginCancelled: "LoginCancelled"
        case .loginTimedOut: "LoginTimedOut"
        case .loginFailed: "LoginFailed"
        case .loginHostUnavailable: "LoginHostUnavailable"
        case .storageUnavailable: "StorageUnavailable"
        case .sessionLocked: "SessionLocked"
        case .accessDenied: "AccessDenied"
        case .quotaExceeded: "QuotaExceeded"
        case .invalidParameter: "InvalidParameter"
        }
    }
}
