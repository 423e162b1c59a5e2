/// Text as HTML shows it.
struct HTML: Sendable {
    /// Markup that is ours.
    var markup: String

    init(_ markup: String = "") { self.markup = markup }

    /// Text from outside: no markup, no control characters, and no more than `limit` characters of it. Its writing
    /// direction stays its own.
    static func text(_ text: String, limit: Int = 500) -> HTML {
        var markup = ""
        for scalar in text.prefix(limit).unicodeScalars.prefix(limit * 4) {
            switch scalar {
            case "&": markup += "&amp;"
            case "<": markup += "&lt;"
            case ">": markup += "&gt;"
            case "\"": markup += "&quot;"
            case "'": markup += "&#39;"
            case _ where scalar.properties.generalCategory == .control: markup += " "
            // Embeddings, overrides and isolates would let a name be read otherwise than it is written.
            case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": continue
            default: markup.unicodeScalars.append(scalar)
            }
        }
        return HTML(text.count > limit ? markup + "…" : markup)
    }

    static func isolated(_ text: String, limit: Int = 200) -> HTML {
        HTML("<bdi>\(HTML.text(text, limit: limit).markup)</bdi>")
    }

    static let closeWindow = HTML("You can close this window.")
}
