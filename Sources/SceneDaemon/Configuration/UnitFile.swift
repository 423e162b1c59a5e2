import CommandLine

/// A fault in a configuration file, for the one who has to mend it.
package struct Problem: Hashable, Sendable, CustomStringConvertible {
    package enum Severity: Sendable {
        /// What it concerns is left out; the rest counts.
        case warning
        /// The app, or the daemon, cannot do without.
        case error
    }

    package var file: String
    /// Absent where the whole file is meant.
    package var line: Int?
    package var text: String
    package var severity: Severity

    /// For a terminal, too: names and values in it are whatever the file has.
    package var description: String {
        Inert.text(line.map { "\(file):\($0): \(text)" } ?? "\(file): \(text)")
    }
}

/// A file in the form of systemd's units (systemd.syntax(7)): sections, assignments, comments, continued lines.
/// Sections may repeat, and are kept apart.
struct UnitFile {
    struct Assignment {
        var key: String
        var value: String
        var line: Int
    }

    struct Section {
        var name: String
        var file: String
        var line: Int
        var assignments: [Assignment] = []
    }

    private(set) var sections: [Section] = []
    private(set) var problems: [Problem] = []

    /// All faults are noted; what can be read is kept.
    init(_ text: String, file: String) {
        var pending = ""
        var start = 0
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        for (index, raw) in lines.enumerated() {
            let line = trimmed(raw)
            if pending.isEmpty {
                if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
                start = index + 1
            } else if line.hasPrefix("#") || line.hasPrefix(";") {
                continue
            }
            if line.hasSuffix("\\") {
                pending += line.dropLast() + " "
                continue
            }
            read(pending + line, file: file, line: start)
            pending = ""
        }
        if !pending.isEmpty { read(pending, file: file, line: start) }
    }

    private mutating func read(_ line: String, file: String, line number: Int) {
        func note(_ text: String) {
            problems.append(Problem(file: file, line: number, text: text, severity: .error))
        }
        if line.hasPrefix("[") {
            guard line.hasSuffix("]"), line.count > 2 else { return note("a section is written [Name]") }
            sections.append(Section(name: String(line.dropFirst().dropLast()), file: file, line: number))
            return
        }
        guard let equals = line.firstIndex(of: "=") else { return note("an assignment is written Key=value") }
        let key = trimmed(line[..<equals])
        guard !key.isEmpty else { return note("there is no key before =") }
        guard !sections.isEmpty else { return note("\(key)= stands before the first section") }
        let value = trimmed(line[line.index(after: equals)...])
        guard !value.unicodeScalars.contains(where: { $0 != "\t" && $0.isControl }) else {
            return note("the value of \(key)= holds control characters")
        }
        sections[sections.count - 1].assignments.append(Assignment(key: key, value: value, line: number))
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool { properties.generalCategory == .control }
}

func trimmed(_ text: some StringProtocol) -> String {
    guard let first = text.firstIndex(where: { !$0.isWhitespace }),
        let last = text.lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(text[first...last])
}
