import SceneLogin
import SceneModel
import SceneOAuth

// What went wrong with a login, as its page tells.

extension Failure {
    var fault: LoginFault {
        switch self {
        case .loginFailed(let code, let description): LoginFault(code: code, description: description)
        case .loginHostUnavailable: LoginFault(.unreachable)
        case .storageUnavailable: LoginFault(.storage)
        case .loginTimedOut: LoginFault(.timedOut)
        default: LoginFault(.other)
        }
    }
}

extension LoginFault {
    private static let ours: [String: Kind] = [
        "otherAccount": .otherUser, "signedOut": .signedOut, "authorizationExpired": .timedOut,
        "redirectPortTaken": .machine, "system": .machine,
        "unsupportedRedirectURI": .machine, OAuthFailure.unusableCredentialCode: .appCredential,
        "issuer_mismatch": .notInOrder, "state_mismatch": .notInOrder, "code_missing": .notInOrder,
        "invalid_metadata": .notInOrder, "invalid_token_response": .notInOrder, "id_token_missing": .notInOrder,
        "invalid_id_token": .notInOrder, "invalid_device_response": .notInOrder, "invalid_url": .notInOrder,
    ]

    /// RFC 6749, sections 4.1.2.1 and 5.2; RFC 8628, section 3.5.
    private static let hosts: [String: Kind] = [
        "access_denied": .denied, "invalid_grant": .expired, "expired_token": .expired,
        "server_error": .hostTroubled, "temporarily_unavailable": .hostTroubled,
        "invalid_client": .appRefused, "unauthorized_client": .appRefused, "invalid_scope": .appRefused,
        "unsupported_grant_type": .appRefused, "unsupported_response_type": .appRefused,
    ]

    /// - Parameter code: of `LoginFailed`, ours or the login host's.
    init(code: String, description: String?) {
        if let kind = Self.ours[code] {
            self.init(kind, description.map { .ours($0) })
        } else {
            let kind = Self.hosts[code] ?? .refused
            // What people did themselves needs no code.
            let isPlain = kind == .denied || kind == .expired
            self.init(kind, (description ?? (isPlain ? nil : code)).map { .hosts($0) })
        }
    }
}

extension OAuthFailure {
    /// Of a login host before anybody has signed in there.
    var faultOfHost: LoginFault {
        switch self {
        case .unavailable(_, let reason), .lost(_, let reason): LoginFault(.unreachable, .ours(reason))
        case .cancelled: LoginFault(.unreachable)
        case .invalid(OAuthFailure.unusableCredentialCode, let reason): LoginFault(.appCredential, .ours(reason))
        case .invalid(_, let reason): LoginFault(.notAHost, .ours(reason))
        case .refused: LoginFault(.notAHost, .hosts(explanation))
        case .unusable(_, let cause): cause.faultOfHost
        }
    }
}
