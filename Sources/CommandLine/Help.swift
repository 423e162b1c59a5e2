extension Command {
    /// The help of the command at the end of `path`; of this one where the path leads nowhere.
    package func helpText(for path: [String], terminal: Terminal) -> String {
        var chain = [self]
        for name in path.dropFirst() {
            guard let verb = chain[chain.count - 1].verb(named: name) else { break }
            chain.append(verb)
        }
        return Help(chain: chain, terminal: terminal).text
    }
}

private struct Help {
    let chain: [Command]
    let terminal: Terminal

    private var command: Command { chain[chain.count - 1] }
    private var width: Int { min(max(terminal.width, 40), 100) }

    var text: String {
        var blocks = [synopsis + "\n\n" + command.summary + "."]
        blocks += command.discussion.map { wrapped($0, width: width).joined(separator: "\n") }
        blocks += [
            entries("Verbs", command.verbs.map { ($0.name, $0.summary) }),
            entries("Arguments", command.positionals.map { ($0.name, $0.help) }),
            entries("Options", options.map { ($0.synopsis, $0.help) }),
            examples,
        ]
        blocks += command.sections.map { entries($0.title, $0.entries) }
        return blocks.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    }

    private var options: [Option] {
        let own = chain.reversed().flatMap(\.options)
        return own + [Command.help] + (chain.count == 1 ? [Command.version] : [])
    }

    private var synopsis: String {
        let words =
            chain.map(\.name) + (command.verbs.isEmpty ? [] : ["VERB"]) + ["[OPTION…]"]
            + command.positionals.map(\.synopsis)
        return terminal.styled("Usage:", .heading) + " " + words.joined(separator: " ")
    }

    private var examples: String {
        let title = command.examples.count == 1 ? "Example" : "Examples"
        let lines = command.examples.map { "  \($0.line)\n      \($0.purpose)" }
        return lines.isEmpty ? "" : heading(title) + "\n" + lines.joined(separator: "\n")
    }

    private func heading(_ title: String) -> String { terminal.styled(title + ":", .heading) }

    /// Two columns, the second wrapped under itself.
    private func entries(_ title: String, _ entries: [(String, String)]) -> String {
        guard !entries.isEmpty else { return "" }
        let indent = min(entries.reduce(0) { max($0, $1.0.displayWidth) }, 32) + 4
        let margin = String(repeating: " ", count: indent)
        var lines = [heading(title)]
        for (term, text) in entries {
            let first = "  " + term
            let rest = wrapped(text, width: max(20, width - indent))
            if first.displayWidth + 2 > indent {
                lines.append(first)
                lines += rest.map { margin + $0 }
            } else {
                lines.append(first.padded(to: indent) + (rest.first ?? ""))
                lines += rest.dropFirst().map { margin + $0 }
            }
        }
        return lines.joined(separator: "\n")
    }
}
