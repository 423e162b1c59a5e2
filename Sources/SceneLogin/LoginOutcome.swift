/// How a login ended, as its browser window tells.
package enum LoginOutcome: Hashable, Sendable {
    /// `wanted`: the account name that was asked for, where the login host signed in another.
    case signedIn(name: String?, wanted: String? = nil)
    case failed(LoginFault)
    case cancelled
}

/// What went wrong with a login, for the user.
package enum LoginFault: Hashable, Sendable {
    case denied, expired, timedOut, unreachable, storage, foreign, other
    /// What the login host, or what was taken for one, answers that it should not.
    case notAHost(reason: String)
    /// The login host's own words, or its code.
    case hostSaid(String)

    private var key: String {
        switch self {
        case .denied: "denied"
        case .expired: "expired"
        case .timedOut: "timed-out"
        case .unreachable: "unreachable"
        case .storage: "storage"
        case .foreign: "foreign"
        case .other: "other"
        case .notAHost: "not-a-host"
        case .hostSaid: "host-said"
        }
    }

    private var reason: String {
        switch self {
        case .notAHost(let reason), .hostSaid(let reason):
            String(reason.reversed().drop { $0 == "." }.reversed())
        default: ""
        }
    }

    /// What happened, and what is to be done.
    func html(_ messages: Messages, host: String) -> (what: HTML, todo: HTML) {
        let values = ["host": HTML.isolated(host), "reason": HTML.isolated(reason, limit: 500)]
        return (messages.html("fault.\(key).what", values), messages.html("fault.\(key).todo", values))
    }
}
