import CommandLine

/// A line of text that the user types or pastes.
package struct TextField: Hashable, Sendable {
    /// Longer than any address that scened takes.
    static let limit = 8192

    package var text = ""

    /// What the key did to the text; false where it does nothing to one.
    mutating func pressed(_ key: Key) -> Bool {
        switch key {
        case .character(let character): add(String(character))
        case .pasted(let text): add(text)
        case .backspace, .delete: if !text.isEmpty { text.removeLast() }
        case .eraseLine: text = ""
        default: return false
        }
        return true
    }

    private mutating func add(_ more: String) {
        if text.utf8.count + more.utf8.count <= Self.limit { text += more }
    }

    var trimmed: String {
        var rest = text[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }

    /// With the place where the next character goes; of a long text the end.
    func shown(columns: Int) -> String {
        let text = Inert.text(self.text)
        guard text.displayWidth + 1 > columns else { return text + "▏" }
        var end = ""
        var width = 2
        for character in text.reversed() {
            width += String(character).displayWidth
            if width > columns { break }
            end.insert(character, at: end.startIndex)
        }
        return columns < 2 ? "▏" : "…" + end + "▏"
    }
}
