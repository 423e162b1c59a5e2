import SceneModel
import SceneSystem
import SessionCore

/// Each kind of event in the journal has an identifier of its own (systemd.journal-fields(7), MESSAGE_ID=).
enum MessageID {
    static let started = "3366ef441fc94f4aae95a9b2aa7b0dd6"
    static let stopping = "9d634306643c4eb2aeb0b2a4a566e7ac"
    static let reloaded = "ec95d89b64aa4c3bb3aafae36201cd94"
    static let configurationProblem = "fec491b32888477594eb7e8bb14e624c"
    static let storageUnavailable = "d45ba42b93c24e4aab11455787a17623"
    static let storageProblem = "9a831e46e11243c99173c91ff7852f62"
    static let loginHostUnavailable = "f39adbfd87164789be3b6a071d7bee44"
    static let refreshRefused = "7b1c0d8d1a4f4d5fb4c6f0a36f3c2e95"
    static let loginFailed = "ee4dcc2580614b5fad5a6bd7784ceb24"
    static let quotaExceeded = "f6868aa1147b4011a28b30b73594b7b3"
    static let screensUnknown = "2b3f9ddf5ec349d9a1a1afa768db9b61"
    static let appNotStarted = "04cfa8428e9a444e823901751d857d87"
    static let accessDenied = "b7acbcbd9ce04684923ccf457ef618c2"
    static let responseRefused = "fc7a854d9f5945daa67ff61ce1c35c53"
}

extension AuditEntry.Kind {
    var messageID: String {
        switch self {
        case .signedIn: "03ddae0c12b946768e0e5676efe0ebf2"
        case .signedOut: "367ca900a5d64e83907f652cdc169cff"
        case .switched: "b1249c6a4ec640c784babffe10c171e2"
        case .loginStarted: "1b5cf73e665c48b097bcff0687dcb2fd"
        case .loginEnded: "ed65f838bf35479daa39b0886775013c"
        case .grantRefused: "9a20b7f1b92844479e979cbf0fb88445"
        case .degraded: "cacfafea67d44c798e98c43624b8742c"
        case .recovered: "7c3bd742584f4a7da76ebec18e08ee3c"
        case .tokensRevoked: "a877d1a86363478ea9f2620cbd7692c2"
        case .revocationQueued: "adcbe6b4336c495094ebed64ab14189d"
        case .revocationAbandoned: "3fcf8f0c90b64c83bc790b7aacdc7393"
        case .locked: "bef0fbb8c414401a95ef3c19c3dfb356"
        case .authorizationRequested: "4fa831e08570411faac66bfb00de9329"
        case .authorizationApproved: "e4c85e40919e44b4931b13ba81c1e23d"
        case .authorizationDenied: "505910e4f7734ef2a4c5bd61fa5435a1"
        case .unlocked: "9b013f07b1e44504a9918724241fdefd"
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
        case .authorizationRequested: "Another app asks for a sign-in"
        case .authorizationApproved: "picked for a sign-in of another app"
        case .authorizationDenied: "Another app's sign-in was denied"
        }
    }
}

extension AuditEntry {
    /// Who, which account, through which scene.
    func journalEntry(of key: SessionKey) -> JournalEntry {
        let name = account.map { $0.username ?? $0.email ?? $0.subject } ?? ""
        var text = name.isEmpty ? kind.words : "\(name): \(kind.words)"
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
