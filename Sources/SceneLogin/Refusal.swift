/// Why a request is not served. The login goes on as if it had not come.
enum Refusal: CaseIterable {
    case malformed, method, unknownAddress, unknownState, usedState, wrongHost, notNavigation, otherUser
    case tooLarge, crossSite, wrongFormToken

    var status: UInt32 {
        switch self {
        case .malformed, .unknownState, .wrongHost: 400
        case .notNavigation, .otherUser, .crossSite, .wrongFormToken: 403
        case .unknownAddress: 404
        case .method: 405
        case .usedState: 409
        case .tooLarge: 413
        }
    }

    /// Of its text.
    var key: String {
        switch self {
        case .malformed: "malformed"
        case .method: "method"
        case .unknownAddress: "address"
        case .unknownState: "unknown-state"
        case .usedState: "used-state"
        case .wrongHost: "wrong-host"
        case .notNavigation: "not-navigation"
        case .otherUser: "other-user"
        case .tooLarge: "too-large"
        case .crossSite: "cross-site"
        case .wrongFormToken: "form-token"
        }
    }
}
