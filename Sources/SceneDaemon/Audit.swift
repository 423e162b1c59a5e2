import SceneModel
import SceneSystem
import SessionCore

/// Each kind of event in the journal has an identifier of its own (systemd.journal-fields(7), MESSAGE_ID=).
enum MessageID {
    static let started = "5e1c0f7a4d8b4b6f9a3e2d1c0b9a8f01"
    static let stopping = "5e1c0f7a4d8b4b6f9a3e2d1c0b9a8f02"
    static let reloaded = "5e1c0f7a4d8b4b6f9a3e2d1c0b9a8f03"
    static let configurationProblem = "5e1c0f7a4d8b4b6f9a3e2d1c0b9a8f04"
    static let storageUnavailable = "5e1c0f7a4d8b4b6f9a3e2d1c0b9a8f05"
    static let storageProblem = "5e1c0f7a4d8b4b6f9a3e2d1c0b9a8f06"
    static let loginHostUnavailable = "5e1c0f7a4d8b4b6f9a3e2d1c0b9a8f07"
    static let loginFailed = "5e1c0f7a4d8b4b6f9a3e2d1c0b9a8f08"
    static let accessDenied = "5e1c0f7a4d8b4b6f9a3e2d1c0b9a8f09"
}

extension AuditEntry.Kind {
    var messageID: String {
        switch self {
        case .signedIn: "5e1c0f7a4d8b4b6f9a3e2d1c0b9a8f10"
        case .signedOut: "5e1c0f7a4d8b4b6f9a3e2d1c0b9a8f11"
        case .switched: "5e1c0f7a4d8b4b6f9a3e2d1c0b9a8f12"
        case .loginStarted: "5e1c0f7a4d8b4b6f9a3e2d1c0b9a8f13"
        case .loginEnded: "5e1c0f7a4d8b4b6f9a3e2d1c0b9a8f14"
        case .grantRefused: "5e1c0f7a4d8b4b6f9a3e2d1c0b9a8f15"
        case .degraded: "5e1c0f7a4d8b4b6f9a3e2d1c0b9a8f16"
        case .recovered: "5e1c0f7a4d8b4b6f9a3e2d1c0b9a8f17"
        case .tokensRevoked: "5e1c0f7a4d8b4b6f9a3e2d1c0b9a8f18"
        case .revocationQueued: "5e1c0f7a4d8b4b6f9a3e2d1c0b9a8f19"
        case .revocationAbandoned: "5e1c0f7a4d8b4b6f9a3e2d1c0b9a8f1a"
        case .locked: "5e1c0f7a4d8b4b6f9a3e2d1c0b9a8f1b"
        case .unlocked: "5e1c0f7a4d8b4b6f9a3e2d1c0b9a8f1c"
        }
    }

    fileprivate var words: String {
        switch self {
        case .signedIn: "signed in"
        case .signedOut: "signed out"
        case .switched: "made current"
        case .loginStarted: "A login began"
        case .loginEnded: "A login ended"
        case .grantRefused: "refused by the login host; a new sign-in is needed"
        case .degraded: "kept, though the login host cannot be reached"
        case .recovered: "active again"
        case .tokensRevoked: "tokens revoked at the login host"
        case .revocationQueued: "tokens still to be revoked; the login host cannot be reached"
        case .revocationAbandoned: "tokens not revoked; the login host offers no revocation to this app, or not in time"
        case .locked: "The session was locked"
        case .unlocked: "The session was unlocked"
        }
    }
}

extension AuditEntry {
    /// Who, which account, through which scene.
    func journalEntry(of key: SessionKey) -> JournalEntry {
        var text = account.map { "\($0.username ?? $0.email ?? $0.subject): \(kind.words)" } ?? kind.words
        text += " (app \(key.app), uid \(key.uid)"
        if let scene { text += ", scene \(scene)" }
        if let reason { text += ", \(reason)" }
        var fields: [(name: String, value: String)] = [
            ("SCENED_EVENT", kind.rawValue), ("SCENED_APP", key.app), ("SCENED_UID", "\(key.uid)"),
        ]
        if let account {
            fields.append(("SCENED_ACCOUNT", account.id))
            fields.append(("SCENED_ISSUER", account.issuer))
            fields.append(("SCENED_SUBJECT", account.subject))
        }
        if let scene { fields.append(("SCENED_SCENE", scene)) }
        if let pid, pid > 0 { fields.append(("SCENED_PEER_PID", "\(pid)")) }
        if let reason { fields.append(("SCENED_REASON", reason)) }
        return JournalEntry(priority: priority, message: text + ").", messageID: kind.messageID, fields: fields)
    }

    private var priority: JournalEntry.Priority {
        switch kind {
        case .grantRefused, .revocationAbandoned: .warning
        case .signedIn, .signedOut: .notice
        default: .info
        }
    }
}

extension Problem {
    var entry: JournalEntry {
        var fields: [(name: String, value: String)] = [("SCENED_FILE", file)]
        if let line { fields.append(("SCENED_LINE", "\(line)")) }
        return JournalEntry(
            priority: severity == .error ? .error : .warning, message: description,
            messageID: MessageID.configurationProblem, fields: fields)
    }
}
