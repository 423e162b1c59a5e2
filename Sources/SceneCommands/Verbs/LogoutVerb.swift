import CommandLine
import SceneModel
import SceneProtocol

/// Sign accounts out.
enum LogoutVerb: Verb {
    private static let all = Option("all", help: "Sign out all accounts of the app, as one change")
    private static let reason = Option("reason", value: "TEXT", help: "Why, for the audit and for all scenes")

    static let command = Command(
        "logout", summary: "Sign an account out, in all windows and at its login host",
        positionals: [
            Positional(
                "ACCOUNT", isRequired: false,
                help: "Its identifier, username or email address; by default the current account")
        ],
        options: [all, reason],
        examples: [
            .init("scenectl logout", "Sign the current user out"),
            .init("scenectl logout --all --reason 'end of shift'", "Sign everybody out"),
        ])

    static func run(_ context: Context) throws(CommandFailure) {
        let word = context.arguments.positionals.first
        if word != nil, context.arguments.has(all) {
            throw CommandFailure(
                .usage, "--all and ACCOUNT exclude each other", suggestion: context.arguments.helpLine)
        }
        let connection = try context.connect()
        let app = try context.app(on: connection)
        if context.arguments.has(all) {
            let answer = try connection.call(LogoutAll.self, .init(app: app, reason: context.arguments[reason]))
            if context.wantsJSON { return try context.output.json(answer.json) }
            if answer.reply.results.isEmpty { try context.output.line("Nobody was signed in.") }
            for result in answer.reply.results { try context.output.lines(lines(result)) }
        } else {
            let choice = try AccountChoice(app, on: connection, for: context)
            let account =
                if let word { try choice.identifier(of: word) } else {
                    try choice.currentIdentifier(appOption: context.appOption)
                }
            let answer = try connection.call(
                Logout.self, .init(app: app, account: account, reason: context.arguments[reason]))
            if context.wantsJSON { return try context.output.json(answer.json) }
            try context.output.lines(lines(answer.reply.result))
        }
    }

    static func lines(_ result: LogoutResult) -> [String] {
        let remote =
            switch result.remote {
            case .revoked: "the login host has revoked the tokens"
            case .queued: "the login host will be told when it can be reached"
            case .unsupported: "the login host offers no revocation"
            }
        let first = "Signed out \(result.account.label); \(remote)."
        guard let address = result.endSessionUri else { return [first] }
        return [first, "To end the browser's session there too, open \(Inert.text(address))"]
    }
}
