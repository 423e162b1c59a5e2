/// What a command line said, checked against the command that it was for.
package struct Arguments: Equatable, Sendable {
    /// The program's name and its verbs: `["scenectl", "login"]`.
    package internal(set) var path: [String]
    package internal(set) var positionals: [String] = []
    private var values: [String: [String]] = [:]

    package init(path: [String]) {
        self.path = path
    }

    /// Whether a flag, or an option with a value, was given.
    package func has(_ option: Option) -> Bool {
        values[option.name] != nil
    }

    /// An option's value; of several the last, so that a line can overrule an alias.
    package subscript(option: Option) -> String? {
        values[option.name]?.last
    }

    /// All values of a repeatable option, in order.
    package func all(_ option: Option) -> [String] {
        values[option.name] ?? []
    }

    /// A whole number within `range`.
    package func integer(_ option: Option, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = self[option] else { return nil }
        if let number = Int(text), range.contains(number) { return number }
        throw UsageError(
            "--\(option.name) takes a whole number from \(range.lowerBound) to \(range.upperBound), not "
                + Inert.quoted(text), suggestion: helpLine)
    }

    /// The line that shows the help of the command that was asked for.
    package var helpLine: String { path.joined(separator: " ") + " --help" }

    mutating func add(_ value: String, to option: Option) {
        values[option.name, default: []].append(value)
    }

    mutating func set(_ option: Option) {
        if values[option.name] == nil { values[option.name] = [] }
    }
}
