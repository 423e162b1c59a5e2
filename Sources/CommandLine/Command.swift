/// A program, or one verb of it: all that parsing, help, completion and the manual page need to know.
package struct Command: Sendable {
    /// A line to type, and what it does.
    package struct Example: Hashable, Sendable {
        package var line: String
        package var purpose: String

        package init(_ line: String, _ purpose: String) {
            self.line = line
            self.purpose = purpose
        }
    }

    /// A titled block at the end of the help: exit codes, files, environment.
    package struct Section: Sendable {
        package var title: String
        package var entries: [(term: String, text: String)]

        package init(_ title: String, _ entries: [(term: String, text: String)]) {
            self.title = title
            self.entries = entries
        }
    }

    package var name: String
    /// One clause, without a full stop.
    package var summary: String
    /// Paragraphs, each wrapped to the reader's width.
    package var discussion: [String]
    package var positionals: [Positional]
    package var options: [Option]
    package var examples: [Example]
    package var sections: [Section]
    package var verbs: [Command]

    package init(
        _ name: String, summary: String, discussion: [String] = [], positionals: [Positional] = [],
        options: [Option] = [], examples: [Example] = [], sections: [Section] = [], verbs: [Command] = []
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.positionals = positionals
        self.options = options
        self.examples = examples
        self.sections = sections
        self.verbs = verbs
    }

    package func verb(named name: String) -> Command? {
        verbs.first { $0.name == name }
    }
}

extension Command {
    /// Every command understands these; the parser answers them before it looks at the rest of the line.
    static let help = Option("help", help: "Show this help")
    static let version = Option("version", help: "Show the version")
}
