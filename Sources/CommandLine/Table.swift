/// Rows of text from outside, aligned by display width and made inert.
package struct Table: Sendable {
    package struct Column: Sendable {
        package var title: String
        package var isNumber: Bool
        /// Whether its texts may be cut so that a row fits a terminal. What a user copies is never cut.
        package var shortens: Bool

        package init(_ title: String, isNumber: Bool = false, shortens: Bool = false) {
            self.title = title
            self.isNumber = isNumber
            self.shortens = shortens
        }
    }

    package struct Cell: Sendable, ExpressibleByStringInterpolation {
        package var text: String
        package var style: Style?

        package init(_ text: String, _ style: Style? = nil) {
            self.text = text
            self.style = style
        }

        package init(stringLiteral text: String) {
            self.init(text)
        }
    }

    package var columns: [Column]
    package private(set) var rows: [[Cell]] = []

    package init(_ columns: [Column]) {
        self.columns = columns
    }

    package mutating func add(_ cells: Cell...) { add(cells) }

    package mutating func add(_ cells: [Cell]) {
        rows.append(cells.map { Cell(Inert.text($0.text), $0.style) })
    }

    /// Lines with the titles first, without trailing spaces. On a terminal no line is wider than it, if cutting the
    /// columns that may be cut can do it.
    package func lines(for terminal: Terminal) -> [String] {
        let widths = widths(for: terminal)
        let titles = columns.map { Cell($0.title, .heading) }
        return ([titles] + rows).map { line($0, widths, terminal) }
    }

    private func line(_ cells: [Cell], _ widths: [Int], _ terminal: Terminal) -> String {
        var line = ""
        var spaces = 0
        for ((cell, column), width) in zip(zip(cells, columns), widths) {
            let text = cell.text.shortened(to: width)
            let rest = width - text.displayWidth
            if column.isNumber { spaces += rest }
            if !text.isEmpty {
                line += String(repeating: " ", count: spaces) + terminal.styled(text, cell.style)
                spaces = 0
            }
            if !column.isNumber { spaces += rest }
            spaces += Self.gap
        }
        return line
    }

    private static let gap = 2

    private func widths(for terminal: Terminal) -> [Int] {
        var widths = columns.indices.map { index in
            rows.reduce(columns[index].title.displayWidth) { widest, row in
                index < row.count ? max(widest, row[index].text.displayWidth) : widest
            }
        }
        guard terminal.isTerminal else { return widths }
        var excess = widths.reduce(0, +) + Self.gap * (columns.count - 1) - terminal.width
        while excess > 0 {
            // The widest gives first, down to the next: short columns stay whole.
            let candidates = columns.indices.filter { columns[$0].shortens && widths[$0] > Self.leastWidth }
                .sorted { widths[$0] > widths[$1] }
            guard let widest = candidates.first else { break }
            let next = candidates.count > 1 ? widths[candidates[1]] : Self.leastWidth
            let given = min(excess, max(1, widths[widest] - next))
            widths[widest] -= given
            excess -= given
        }
        return widths
    }

    private static let leastWidth = 8
}
