import CommandLine
import SceneProtocol

/// Make another account the current one.
enum SwitchVerb: Verb {
    static let command = Command(
        "switch", summary: "Make another account the current one, in all windows",
        positionals: [Positional("ACCOUNT", help: "Its identifier, username or email address; see scenectl accounts")],
        examples: [.init("scenectl switch ada@example.com", "Ada is the current user of all windows")])

    static func run(_ context: Context) throws(CommandFailure) {
        let connection = try context.connect()
        let app = try context.app(on: connection)
        let choice = try AccountChoice(app, on: connection, for: context)
        let account = try choice.identifier(of: context.arguments.positionals.first ?? "")
        let answer = try connection.call(SwitchAccount.self, .init(app: app, account: account))
        if context.wantsJSON {
            try context.output.json(answer.json)
        } else {
            try context.output.line("The current user is \(answer.reply.account.label).")
        }
    }
}
