import CommandLine
import LinuxIO
import SceneModel
import SceneProtocol
import Varlink

/// Sign accounts out.
enum LogoutVerb: Verb {
    private static let all = Option("all", help: "Sign out all accounts of the app, as one change")
    private static let reason = Option("reason", value: "TEXT", help: "Why, for the audit and for all scenes")
    private static let browser = Option(
        "browser", help: "Open the login host's own logout in your browser, where it has one; nobody waits for it")

    static let command = Command(
        "logout", summary: "Sign an account out, in all windows and at its login host",
        positionals: [
            Positional(
                "ACCOUNT", isRequired: false,
                help: "Its identifier, username or email address; by default the current account")
        ],
        options: [all, reason, browser],
        examples: [
            .init("scenectl logout", "Sign the current user out"),
            .init("scenectl logout --browser", "And end the browser's session at the login host"),
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
            try tell(answer.reply.results, answer.json, context)
        } else {
            let choice = try AccountChoice(app, on: connection, for: context)
            let account =
                if let word { try choice.identifier(of: word) } else {
                    try choice.currentIdentifier(appOption: context.appOption)
                }
            let answer = try connection.call(
                Logout.self, .init(app: app, account: account, reason: context.arguments[reason]))
            try tell([answer.reply.result], answer.json, context)
        }
    }

    private static func tell(_ results: [LogoutResult], _ json: JSONElement, _ context: Context) throws(CommandFailure)
    {
        if context.wantsJSON {
            try context.output.json(json)
        } else if results.isEmpty {
            try context.output.line("Nobody was signed in.")
        }
        for result in results where !context.wantsJSON { try context.output.lines(lines(result)) }
        if context.arguments.has(browser), !results.isEmpty { open(results.compactMap(\.endSessionUri), context) }
    }

    /// Each login host's once, however many accounts were signed out there: the browser has one session with it.
    private static func open(_ addresses: [String], _ context: Context) {
        guard !addresses.isEmpty else { return context.errors.tell("The login host offers no logout in a browser.") }
        guard Browser.isReachable(context.environment) else {
            return context.errors.tell("There is no display to open a browser on.")
        }
        var opened: Set<Substring> = []
        for address in addresses where opened.insert(address.prefix { $0 != "?" }).inserted {
            guard var browser = Browser(opening: withoutIDToken(address)), !browser.fails(within: .seconds(2)) else {
                return context.errors.tell("No browser could be opened; open the address yourself.")
            }
        }
    }

    /// All users of the machine can read a browser's arguments. Without the hint, the login host asks the user.
    static func withoutIDToken(_ address: String) -> String {
        guard let mark = address.firstIndex(of: "?") else { return address }
        let pairs = address[address.index(after: mark)...].split(separator: "&")
        return address[...mark] + pairs.filter { !$0.hasPrefix("id_token_hint=") }.joined(separator: "&")
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
