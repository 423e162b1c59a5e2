extension Command {
    /// A script for bash's programmable completion. Source it, or install it as
    /// `/usr/share/bash-completion/completions/NAME`.
    package var bashCompletion: String {
        let function = "_" + name.map { $0.isLetter || $0.isNumber ? $0 : "_" }
        return """
            # bash completion for \(name)
            \(function)() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} verb= word
                COMPREPLY=()
                for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                    case $word in
            \(cases(verbs.map { ($0.name, "verb=$word; break") }, indent: 12))
                    esac
                done
                case $previous in
            \(cases(valued, indent: 8))
                esac
                case $verb in
            \(cases(perVerb, indent: 8))
                esac
            }
            complete -F \(function) \(name)

            """
    }

    private func cases(_ cases: [(String, String)], indent: Int) -> String {
        let margin = String(repeating: " ", count: indent)
        return cases.map { "\(margin)\($0.0)) \($0.1) ;;" }.joined(separator: "\n")
    }

    /// What follows an option that takes a value.
    private var valued: [(String, String)] {
        var seen: Set<String> = []
        let nested = verbs.flatMap { $0.options + $0.verbs.flatMap(\.options) }
        return (options + nested).compactMap { option in
            guard option.value != nil, seen.insert(option.name).inserted else { return nil }
            return ("--" + option.name, generator(option.completion, else: []) + "; return")
        }
    }

    private var perVerb: [(String, String)] {
        let own = options.map { "--" + $0.name } + ["--help"]
        let root = ("''", generator(.nothing, else: verbs.map(\.name) + own + ["--version"]))
        return [root]
            + verbs.map { verb in
                let words = (verb.options + verb.verbs.flatMap(\.options)).map { "--" + $0.name } + own
                let positional = verb.positionals.first?.completion ?? .nothing
                let more: [String] = verb.verbs.map(\.name)
                return (verb.name, generator(positional, else: more + words))
            }
    }

    private func generator(_ completion: Completion, else words: [String]) -> String {
        let list = { (words: [String]) in "COMPREPLY=($(compgen -W '\(words.joined(separator: " "))' -- \"$current\"))"
        }
        switch completion {
        case .nothing: return words.isEmpty ? ":" : list(words)
        case .words(let more): return list(more + words)
        case .files: return "COMPREPLY=($(compgen -f -- \"$current\"))"
        case .directories: return "COMPREPLY=($(compgen -d -- \"$current\"))"
        }
    }
}
