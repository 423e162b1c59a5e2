import CommandLine
import SceneModel
import SceneProtocol

/// Who is signed in.
enum AccountsVerb: Verb {
    static let command = Command(
        "accounts", summary: "List the accounts that are signed in",
        discussion: ["The current one is marked with a star."],
        examples: [.init("scenectl accounts --app notes", "Everybody who is signed in to the app")])

    static func run(_ context: Context) throws(CommandFailure) {
        let connection = try context.connect()
        let answer = try connection.call(ListAccounts.self, .init(app: try context.app(on: connection)))
        if context.wantsJSON {
            try context.output.json(answer.json)
        } else if answer.reply.accounts.isEmpty {
            try context.output.line("Nobody is signed in. Try: scenectl login\(context.appOption)")
        } else {
            let table = table(answer.reply.accounts, current: answer.reply.current)
            try context.output.lines(table.lines(for: context.output.terminal))
        }
    }

    static func table(_ accounts: [Account], current: Account?) -> Table {
        var table = Table([
            .init(""), .init("ACCOUNT", shortens: true), .init("NAME", shortens: true), .init("STATE"),
            .init("LOGIN HOST", shortens: true), .init("ID"),
        ])
        for account in accounts {
            table.add(
                account.id == current?.id ? .init("*", .good) : "",
                .init(account.username ?? account.email ?? account.subject), .init(account.displayName ?? ""),
                account.state.cell, .init(account.loginHost.withoutScheme), .init(account.id))
        }
        return table
    }
}

extension Account.State {
    var cell: Table.Cell {
        switch self {
        case .active: .init("active", .good)
        case .degraded: .init("degraded", .warning)
        case .loginRequired: .init("login required", .bad)
        }
    }
}

extension String {
    /// What tells login hosts apart in a narrow column.
    var withoutScheme: String { hasPrefix("https://") ? String(dropFirst(8)) : self }
}
