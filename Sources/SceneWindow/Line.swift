import CommandLine

/// A row of the screen, or less of one; its text is inert already.
struct Line: Equatable {
    struct Span: Equatable {
        var text: String
        var style: Style?
    }

    var spans: [Span]
    /// The next row goes on with the same text, so that a terminal copies both as one line.
    var continues = false

    init(_ text: String = "", _ style: Style? = nil) {
        spans = text.isEmpty ? [] : [Span(text: text, style: style)]
    }

    init(_ lines: Line..., separator: String = "") {
        spans = []
        for line in lines where !line.spans.isEmpty {
            if !spans.isEmpty, !separator.isEmpty { spans.append(Span(text: separator)) }
            spans += line.spans
        }
    }

    var text: String { spans.map(\.text).joined() }
    var width: Int { spans.reduce(0) { $0 + $1.text.displayWidth } }

    func indented(by columns: Int) -> Line {
        spans.isEmpty || columns == 0 ? self : Line(Line(String(repeating: " ", count: columns)), self)
    }

    /// Cut where it is wider than `columns`.
    func fitted(to columns: Int) -> Line {
        guard width > columns else { return self }
        var result = Line()
        var rest = columns
        for span in spans {
            let wide = span.text.displayWidth
            // The last column is kept for the sign that something is missing.
            if wide < rest {
                result.spans.append(span)
                rest -= wide
            } else {
                result.spans.append(Span(text: (span.text + " ").shortened(to: rest), style: span.style))
                break
            }
        }
        return result
    }

    func rendered(on terminal: Terminal) -> String {
        spans.map { terminal.styled($0.text, $0.style) }.joined()
    }

    /// An address in whole rows: nothing is cut, and no space gets into what is copied.
    static func whole(_ text: String, columns: Int) -> [Line] {
        guard columns > 0 else { return [] }
        var rows: [String] = [""]
        for character in text {
            if (rows[rows.count - 1] + String(character)).displayWidth > columns { rows.append("") }
            rows[rows.count - 1].append(character)
        }
        return rows.enumerated().map { index, row in
            var line = Line(row)
            line.continues = index + 1 < rows.count
            return line
        }
    }
}
