import CommandLine
import LinuxIO

/// The program, from its words to its exit code.
package enum Scenectl {
    private static let verbs: [any Verb.Type] = [
        StatusVerb.self, AppsVerb.self, ScenesVerb.self, AccountsVerb.self, LoginVerb.self, SwitchVerb.self,
        LogoutVerb.self, LockVerb.self, UnlockVerb.self, TokenVerb.self, HostsVerb.self, OpenVerb.self,
        AuthorizeVerb.self, WatchVerb.self, ReloadVerb.self, CompletionVerb.self, HelpVerb.self,
    ]

    package static let command = Command(
        "scenectl", summary: "Sign in, switch and sign out for all windows of an app, through scened",
        options: CommonOptions.all,
        examples: [
            .init("scenectl login --app notes", "Sign in, in all windows of the app"),
            .init("scenectl watch --app notes", "See what happens in all of them"),
        ],
        sections: [
            ExitCode.section,
            .init(
                "Environment",
                [
                    ("SCENED_SOCKET", "The socket, where --socket names none"),
                    ("SCENED_APP", "The app, where --app names none"),
                    ("NO_COLOR", "If set, no colours"),
                ]),
            .init(
                "Files",
                [
                    ("$XDG_RUNTIME_DIR/scened/session", "The user instance's socket"),
                    (SocketPath.system, "The system instance's socket"),
                ]),
        ],
        verbs: verbs.map { $0.command })

    /// Does what the words say and tells the process's exit code.
    package static func run(_ words: [String]) -> Int32 {
        StandardDescriptors.openClosed()
        let environment = Surroundings.environment()
        let output = Output(1, environment: environment)
        let errors = Output(2, environment: environment)
        do {
            switch try parse(words) {
            case .version: try output.line("scenectl \(Product.version)")
            case .help(let path): try output.write(Array(command.helpText(for: path, terminal: output.terminal).utf8))
            case .run(let arguments):
                let context = Context(
                    arguments: arguments, environment: environment, output: output, errors: errors)
                try verb(for: arguments)?.run(context)
            }
            return ExitCode.success.rawValue
        } catch {
            if !error.problem.isEmpty { errors.tell("scenectl: \(error)") }
            return error.exitCode.rawValue
        }
    }

    private static func parse(_ words: [String]) throws(CommandFailure) -> Invocation {
        do { return try command.parse(words) } catch { throw CommandFailure(error) }
    }

    private static func verb(for arguments: Arguments) -> (any Verb.Type)? {
        guard arguments.path.count > 1 else { return nil }
        return verbs.first { $0.command.name == arguments.path[1] }
    }
}
