/// What a shell may offer in the place of an option's value or of a positional argument.
package enum Completion: Hashable, Sendable {
    case nothing
    case files
    case directories
    case words([String])
}

/// One option of a command: `--json`, or with a value `--socket PATH`.
package struct Option: Hashable, Sendable {
    /// Without its dashes.
    package var name: String
    /// What stands for the value in the help; nil for a flag.
    package var value: String?
    package var isRepeatable: Bool
    /// Names of options that cannot be given together with this one.
    package var excludes: [String]
    package var completion: Completion
    /// One clause, without a full stop.
    package var help: String

    package init(
        _ name: String, value: String? = nil, isRepeatable: Bool = false, excludes: [String] = [],
        completion: Completion = .nothing, help: String
    ) {
        self.name = name
        self.value = value
        self.isRepeatable = isRepeatable
        self.excludes = excludes
        self.completion = completion
        self.help = help
    }

    /// As the help shows it.
    package var synopsis: String {
        "--" + name + (value.map { " " + $0 } ?? "")
    }
}

/// An argument without a name, told by its place.
package struct Positional: Hashable, Sendable {
    /// What stands for it in the help: "ACCOUNT".
    package var name: String
    package var isRequired: Bool
    package var completion: Completion
    package var help: String

    package init(_ name: String, isRequired: Bool = true, completion: Completion = .nothing, help: String) {
        self.name = name
        self.isRequired = isRequired
        self.completion = completion
        self.help = help
    }

    package var synopsis: String { isRequired ? name : "[\(name)]" }
}
