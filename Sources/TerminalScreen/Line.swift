import CommandLine

/// A row of the screen, or less of one; its text is inert already.
package struct Line: Hashable, Sendable {
    package struct Span: Hashable, Sendable {
        package var text: String
        package var style: Style?
        /// The colours that it stands on, where it has some of its own.
        package var ground: Ground?
    }

    package var spans: [Span]
    /// The next row goes on with the same text, so that a terminal copies both as one line.
    package var continues = false

    package init(_ text: String = "", _ style: Style? = nil) {
        spans = text.isEmpty ? [] : [Span(text: text, style: style)]
    }

    package init(_ lines: Line..., separator: String = "") {
        spans = []
        for line in lines where !line.spans.isEmpty {
            if !spans.isEmpty, !separator.isEmpty { spans.append(Span(text: separator)) }
            spans += line.spans
        }
    }

    package var text: String { spans.map(\.text).joined() }
    package var width: Int { spans.reduce(0) { $0 + $1.text.displayWidth } }

    package func indented(by columns: Int) -> Line {
        spans.isEmpty || columns <= 0 ? self : Line(Line(String(repeating: " ", count: columns)), self)
    }

    /// With spaces at its end, up to `columns`.
    package func padded(to columns: Int) -> Line {
        Line(self, Line(String(repeating: " ", count: max(0, columns - width))))
    }

    /// All of it on these colours.
    package func on(_ ground: Ground?) -> Line {
        var line = self
        for index in line.spans.indices { line.spans[index].ground = ground }
        return line
    }

    /// Cut where it is wider than `columns`.
    package func fitted(to columns: Int) -> Line {
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
                var cut = span
                cut.text = (span.text + " ").shortened(to: rest)
                result.spans.append(cut)
                break
            }
        }
        return result
    }

    package func rendered(on terminal: Terminal) -> String {
        spans.map { span in
            guard let ground = span.ground, terminal.usesColor, !span.text.isEmpty else {
                return terminal.styled(span.text, span.style)
            }
            let parameters = [span.style.map { String($0.rawValue) }, ground.parameters(terminal.colors)]
            return "\u{1b}[\(parameters.compactMap { $0 }.joined(separator: ";"))m\(span.text)\u{1b}[0m"
        }.joined()
    }

    /// An address in whole rows: nothing is cut, and no space gets into what is copied.
    package static func whole(_ text: String, columns: Int) -> [Line] {
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

    /// A sentence, broken at spaces, and within words that are wider than `columns`.
    package static func sentence(_ text: String, _ style: Style? = nil, columns: Int) -> [Line] {
        guard columns > 0 else { return [] }
        return wrapped(text, width: columns).flatMap { row in
            row.displayWidth <= columns ? [Line(row, style)] : whole(row, columns: columns).map { Line($0.text, style) }
        }
    }
}
