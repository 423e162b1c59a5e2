import CommandLine

/// Scripts for shells.
enum CompletionVerb: Verb {
    static let command = Command(
        "completion", summary: "Print a completion script for a shell",
        examples: [.init("source <(scenectl completion bash)", "Complete verbs and options in this bash")],
        verbs: [
            Command(
                "bash", summary: "Print the completion script for bash",
                examples: [.init("source <(scenectl completion bash)", "Complete verbs and options in this bash")])
        ])

    static func run(_ context: Context) throws(CommandFailure) {
        try context.output.write(Array(Scenectl.command.bashCompletion.utf8))
    }
}
