import CommandLine
import SceneModel
import SceneProtocol

/// Finds the account that somebody means, so that a changing call always names one.
struct AccountChoice {
    var accounts: [Account]
    var current: Account?
    /// The words before the account in a line to try: "scenectl switch".
    var line: String

    /// By identifier, or else by username or email address. A word that fits nobody is passed on: it may be the
    /// identifier of an account that has just gone.
    func identifier(of word: String) throws(CommandFailure) -> String {
        if accounts.contains(where: { $0.id == word }) { return word }
        let lowercased = word.lowercased()
        let fitting = accounts.filter { $0.username == word || $0.email?.lowercased() == lowercased }
        if fitting.count > 1 {
            throw CommandFailure(
                .usage, "Several accounts are called \(Inert.quoted(word)) (\(list(fitting)))",
                suggestion: "\(line) \(Inert.text(fitting[0].id))")
        }
        return fitting.first?.id ?? word
    }

    func currentIdentifier(appOption: String) throws(CommandFailure) -> String {
        if let current { return current.id }
        guard let first = accounts.first else {
            throw CommandFailure(
                .interactionRequired, "Nobody is signed in", suggestion: "scenectl login\(appOption)")
        }
        throw CommandFailure(
            .usage, "No account is the current one (\(list(accounts)))", suggestion: "\(line) \(Inert.text(first.id))")
    }

    private func list(_ accounts: [Account]) -> String {
        accounts.map { "\(Inert.text($0.id)): \($0.label)" }.joined(separator: ", ")
    }
}

extension AccountChoice {
    init(_ app: String, on connection: DaemonConnection, for context: Context) throws(CommandFailure) {
        let reply = try connection.call(ListAccounts.self, .init(app: app)).reply
        accounts = reply.accounts
        current = reply.current
        line = context.arguments.path.joined(separator: " ") + context.appOption
    }
}

extension Account {
    /// What a person calls the account.
    var handle: String { Inert.text(username ?? email ?? subject) }

    /// With the person's name where there is one: "Ada Lovelace (ada)".
    var label: String {
        guard let displayName, !displayName.isEmpty, displayName != username else { return handle }
        return "\(Inert.text(displayName)) (\(handle))"
    }
}
