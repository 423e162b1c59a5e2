extension Command {
    /// A manual page in man(7) macros: the program and all its verbs.
    package func manPage(version: String, section: Int = 1) -> String {
        var lines = [
            ".TH \(roff(name.uppercased())) \(section) \"\" \"\(roff(name)) \(roff(version))\"",
            ".SH NAME", "\(roff(name)) \\- \(roff(summary))",
            ".SH SYNOPSIS", ".B \(roff(name))", roff((verbs.isEmpty ? "" : "VERB ") + "[OPTION…]"),
        ]
        if !discussion.isEmpty { lines.append(".SH DESCRIPTION") }
        for paragraph in discussion { lines += [".PP", roff(paragraph)] }
        lines += [".SH OPTIONS"] + (options + [Self.help, Self.version]).flatMap(entry)
        if !verbs.isEmpty { lines.append(".SH VERBS") }
        for verb in verbs { lines += verb.manSection }
        if !examples.isEmpty { lines.append(".SH EXAMPLES") }
        lines += examples.flatMap(entry)
        for section in sections {
            lines.append(".SH " + roff(section.title.uppercased()))
            for (term, text) in section.entries { lines += [".TP", ".B " + roff(term), roff(text)] }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private var manSection: [String] {
        let usage = ([name] + positionals.map(\.synopsis)).joined(separator: " ")
        var lines = [".SS " + roff(usage), roff(summary) + "."]
        for paragraph in discussion { lines += [".PP", roff(paragraph)] }
        for positional in positionals { lines += [".TP", ".I " + roff(positional.name), roff(positional.help)] }
        return lines + options.flatMap(entry) + examples.flatMap(entry)
    }

    private func entry(_ option: Option) -> [String] { [".TP", ".B " + roff(option.synopsis), roff(option.help)] }
    private func entry(_ example: Example) -> [String] { [".TP", ".B " + roff(example.line), roff(example.purpose)] }
}

/// Keeps roff from reading text as requests or escapes.
private func roff(_ text: String) -> String {
    var result = ""
    for character in text {
        switch character {
        case "\\": result += "\\e"
        case "-": result += "\\-"
        case "\"": result += "\\(dq"
        default: result.append(character)
        }
    }
    return result.hasPrefix(".") || result.hasPrefix("'") ? "\\&" + result : result
}
