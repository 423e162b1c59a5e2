import CommandLine

/// Help, also as a manual page.
enum HelpVerb: Verb {
    private static let man = Option("man", help: "Print the manual page of scenectl, for man(1)")

    static let command = Command(
        "help", summary: "Show the help of a verb",
        positionals: [Positional("VERB", isRequired: false, help: "The verb; without one, all are listed")],
        options: [man],
        examples: [
            .init("scenectl help login", "What login does, and its options"),
            .init("scenectl help --man | man -l -", "All of it as a manual page"),
        ])

    static func run(_ context: Context) throws(CommandFailure) {
        let root = Scenectl.command
        if context.arguments.has(man) {
            return try context.output.write(Array(root.manPage(version: Product.version).utf8))
        }
        let path = [root.name] + context.arguments.positionals
        if let word = context.arguments.positionals.first, root.verb(named: word) == nil {
            let nearest = Nearest.to(word, among: root.verbs.map(\.name))
            throw CommandFailure(
                .usage, "There is no verb \(Inert.quoted(word))",
                suggestion: nearest.map { "scenectl help \($0)" } ?? "scenectl help")
        }
        try context.output.write(Array(root.helpText(for: path, terminal: context.output.terminal).utf8))
    }
}
