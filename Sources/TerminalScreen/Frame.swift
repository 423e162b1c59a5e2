import CommandLine

/// A screen as the bytes that draw it over the one before: nothing is cleared first, so nothing flickers.
package enum Frame {
    package static func text(_ lines: [Line], columns: Int, terminal: Terminal) -> String {
        var text = "\u{1b}[H"
        for (index, line) in lines.enumerated() {
            text += line.rendered(on: terminal)
            // At a full row the cursor still stands on its last cell, which clearing would take with it.
            if line.width < columns { text += "\u{1b}[K" }
            // A row that goes on is left to the terminal to wrap.
            if index + 1 < lines.count, !line.continues { text += "\r\n" }
        }
        return text
    }
}
