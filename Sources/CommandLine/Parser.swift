/// What a command line asks for.
package enum Invocation: Sendable {
    case run(Arguments)
    /// The help of the command that the names lead to, the program's own first.
    case help([String])
    case version
}

extension Command {
    /// Reads a line's words, without the program's own name.
    ///
    /// Options may stand before and after the verb; `--name=value` and `--name value` are one; all after `--` is
    /// positional. `--help` is answered wherever it stands, however wrong the rest is.
    package func parse(_ words: [String]) throws(UsageError) -> Invocation {
        var parser = Parser(root: self)
        if let built = parser.builtIn(in: words) { return built }
        for (index, word) in words.enumerated() {
            try parser.take(word, next: index + 1 < words.count ? words[index + 1] : nil)
        }
        return .run(try parser.finished())
    }
}

extension Command {
    fileprivate func takesValue(_ name: Substring) -> Bool {
        options.contains { $0.name == name && $0.value != nil }
    }
}

private struct Parser {
    /// The commands from the program down to the verb found so far.
    private var chain: [Command]
    private var arguments: Arguments
    private var given: [Option] = []
    private var takesOptions = true
    /// The word was taken as the value of the option before it.
    private var skipsWord = false

    fileprivate init(root: Command) {
        chain = [root]
        arguments = Arguments(path: [root.name])
    }

    private var command: Command { chain[chain.count - 1] }
    private var path: String { arguments.path.joined(separator: " ") }

    private func option(named name: String) -> Option? {
        for command in chain.reversed() {
            if let option = command.options.first(where: { $0.name == name }) { return option }
        }
        return nil
    }

    /// `--help` and `--version`, found without regard to faults elsewhere.
    func builtIn(in words: [String]) -> Invocation? {
        var path = chain
        var wantsHelp = false
        var isValue = false
        for word in words {
            if word == "--" { break }
            defer { isValue = word.hasPrefix("--") && path.contains { $0.takesValue(word.dropFirst(2)) } }
            if word == "--help" || word == "-h" { wantsHelp = true }
            if word == "--version", path.count == 1 { return .version }
            if !isValue, let verb = path[path.count - 1].verb(named: word) { path.append(verb) }
        }
        return wantsHelp ? .help(path.map(\.name)) : nil
    }

    mutating func take(_ word: String, next: String?) throws(UsageError) {
        if skipsWord {
            skipsWord = false
        } else if takesOptions, word == "--" {
            takesOptions = false
        } else if takesOptions, word.hasPrefix("-"), word != "-" {
            try takeOption(word, next: next)
        } else if takesOptions, let verb = command.verb(named: word) {
            chain.append(verb)
            arguments.path.append(verb.name)
        } else {
            try takePositional(word)
        }
    }

    private mutating func takeOption(_ word: String, next: String?) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let written = String(parts[0])
        guard written.hasPrefix("--"), let option = option(named: String(written.dropFirst(2))) else {
            throw unknownOption(written)
        }
        let attached = parts.count > 1 ? String(parts[1]) : nil
        switch (option.value, attached) {
        case (nil, nil):
            arguments.set(option)
        case (nil, .some):
            throw UsageError("\(written) takes no value", suggestion: arguments.helpLine)
        case (.some, .some(let value)):
            arguments.add(value, to: option)
        case (.some(let placeholder), nil):
            guard let next, !next.hasPrefix("--") else {
                throw UsageError("\(written) needs a value", suggestion: "\(path) \(written) \(placeholder)")
            }
            arguments.add(next, to: option)
            skipsWord = true
        }
        given.append(option)
    }

    private mutating func takePositional(_ word: String) throws(UsageError) {
        guard arguments.positionals.count < command.positionals.count else {
            if !command.verbs.isEmpty { throw unknownVerb(word) }
            throw UsageError("\(Inert.quoted(word)) is one argument too many", suggestion: arguments.helpLine)
        }
        arguments.positionals.append(word)
    }

    func finished() throws(UsageError) -> Arguments {
        if !command.verbs.isEmpty, command.positionals.isEmpty {
            throw UsageError("\(path) needs a verb", suggestion: arguments.helpLine)
        }
        if arguments.positionals.count < command.positionals.count {
            let missing = command.positionals[arguments.positionals.count]
            if missing.isRequired {
                let line = (arguments.path + command.positionals.map(\.synopsis)).joined(separator: " ")
                throw UsageError("\(missing.name) is missing", suggestion: line)
            }
        }
        for option in given {
            for name in option.excludes where given.contains(where: { $0.name == name }) {
                throw UsageError("--\(option.name) and --\(name) exclude each other", suggestion: arguments.helpLine)
            }
        }
        return arguments
    }

    private func unknownOption(_ written: String) -> UsageError {
        let names = (chain.flatMap(\.options) + [Command.help]).map { "--" + $0.name }
        let nearest = Nearest.to(written, among: names)
        return UsageError(
            "There is no option \(Inert.quoted(written))",
            suggestion: nearest.map { "\(path) \($0)" } ?? arguments.helpLine)
    }

    private func unknownVerb(_ word: String) -> UsageError {
        let nearest = Nearest.to(word, among: command.verbs.map(\.name))
        return UsageError(
            "There is no verb \(Inert.quoted(word))",
            suggestion: nearest.map { "\(path) \($0)" } ?? arguments.helpLine)
    }
}
