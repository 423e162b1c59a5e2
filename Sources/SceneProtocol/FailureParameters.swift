import SceneModel
import Varlink

/// A failure's associated values as the fields of its error.
struct FailureParameters: WireRecord {
    var failure: Failure

    init() { self.init(.notSignedIn) }

    init(_ failure: Failure) {
        self.failure = failure
    }

    mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
        switch failure {
        case .notSignedIn, .loginCancelled, .loginTimedOut, .sessionLocked:
            break
        case .unknownApp(let app):
            failure = .unknownApp(try coder.coded("app", app))
        case .unknownScene(let scene):
            failure = .unknownScene(try coder.coded("scene", scene))
        case .sceneInUse(let scene):
            failure = .sceneInUse(try coder.coded("scene", scene))
        case .unknownRequest(let request):
            failure = .unknownRequest(try coder.coded("request", request))
        case .unknownAccount(let account):
            failure = .unknownAccount(try coder.coded("account", account))
        case .unknownLoginHost(let url):
            failure = .unknownLoginHost(try coder.coded("url", url))
        case .loginHostNotRemovable(let url):
            failure = .loginHostNotRemovable(try coder.coded("url", url))
        case .invalidLoginHost(let url, let reason):
            failure = .invalidLoginHost(url: try coder.coded("url", url), reason: try coder.coded("reason", reason))
        case .interactionRequired(let reason):
            failure = .interactionRequired(reason: try coder.coded("reason", reason))
        case .storageUnavailable(let reason):
            failure = .storageUnavailable(reason: try coder.coded("reason", reason))
        case .accessDenied(let reason):
            failure = .accessDenied(reason: try coder.coded("reason", reason))
        case .loginFailed(let code, let description):
            failure = .loginFailed(
                code: try coder.coded("code", code), description: try coder.coded("description", description))
        case .loginHostUnavailable(let seconds):
            failure = .loginHostUnavailable(retryAfterSeconds: try coder.coded("retryAfterSeconds", seconds))
        case .quotaExceeded(let resource, let limit):
            failure = .quotaExceeded(
                resource: try coder.coded("resource", resource), limit: try coder.coded("limit", limit))
        case .invalidParameter(let parameter):
            failure = .invalidParameter(try coder.coded("parameter", parameter))
        }
    }
}

extension FieldCoder {
    fileprivate mutating func coded<T: WireValue>(_ name: String, _ value: T) throws(WireError) -> T {
        var value = value
        try field(name, &value)
        return value
    }

    fileprivate mutating func coded<T: WireValue>(_ name: String, _ value: T?) throws(WireError) -> T? {
        var value = value
        try field(name, &value)
        return value
    }
}
