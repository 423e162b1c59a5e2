import CommandLine
import SceneSession

extension Account {
    /// What a person calls the account.
    var handle: String { Inert.text(username ?? email ?? subject) }

    /// With the person's name where there is one: "Ada Lovelace (ada)".
    var label: String {
        guard let displayName, !displayName.isEmpty, displayName != username else { return handle }
        return "\(Inert.text(displayName)) (\(handle))"
    }

    /// The person's name, or else the account's.
    var name: String {
        displayName.flatMap { $0.isEmpty ? nil : Inert.text($0) } ?? handle
    }

    /// What the name leaves open: "ada · ada@example.com".
    var handles: String {
        [username, email].compactMap { $0 }.filter { !$0.isEmpty }.map(Inert.text).joined(separator: " · ")
    }
}

extension Account.State {
    var text: String {
        switch self {
        case .active: "active"
        case .degraded: "login host unreachable"
        case .loginRequired: "sign-in required"
        }
    }

    var style: Style {
        switch self {
        case .active: .good
        case .degraded: .warning
        case .loginRequired: .bad
        }
    }
}
