/// A piece of HTML. Text comes in through `text` and attributes through `element` only, which make it inert.
struct HTML: Sendable {
    private(set) var markup: String

    init() { markup = "" }

    private init(markup: String) { self.markup = markup }

    static func + (left: HTML, right: HTML) -> HTML { HTML(markup: left.markup + right.markup) }

    static func += (left: inout HTML, right: HTML) { left.markup += right.markup }

    static func lines(_ pieces: [HTML]) -> HTML { HTML(markup: pieces.map(\.markup).joined(separator: "\n")) }

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
        return HTML(markup: text.count > limit ? markup + "…" : markup)
    }

    static func isolated(_ text: String, limit: Int = 200) -> HTML {
        element("bdi", content: .text(text, limit: limit))
    }

    /// An attribute without a value is written as its name; one that is nil is left out.
    enum Value: ExpressibleByStringInterpolation, ExpressibleByBooleanLiteral {
        case text(String), present(Bool)

        init(stringLiteral text: String) { self = .text(text) }
        init(booleanLiteral present: Bool) { self = .present(present) }
    }

    typealias Attributes = KeyValuePairs<StaticString, Value?>

    static func element(_ name: StaticString, _ attributes: Attributes = [:], content: HTML) -> HTML {
        HTML(markup: "\(opening(name, attributes).markup)\(content.markup)</\(name)>")
    }

    static func element(_ name: StaticString, _ attributes: Attributes = [:], text: String) -> HTML {
        element(name, attributes, content: .text(text))
    }

    static func element(_ name: StaticString, _ attributes: Attributes = [:], children: [HTML]) -> HTML {
        element(name, attributes, content: .lines(children))
    }

    /// Longer than any address that is to be opened: one with an ID token in it (`id_token_hint`) has some KiB, and is of
    /// no use in part.
    private static let longestAttribute = 32 << 10

    /// An element that has no end tag.
    static func opening(_ name: StaticString, _ attributes: Attributes = [:]) -> HTML {
        var tag = "<\(name)"
        for (name, value) in attributes {
            switch value {
            case .text(let text)?: tag += " \(name)=\"\(HTML.text(text, limit: longestAttribute).markup)\""
            case .present(true)?: tag += " \(name)"
            case .present(false)?, nil: continue
            }
        }
        return HTML(markup: tag + ">")
    }

    /// What is written here in the source, as it is.
    static func ours(_ markup: StaticString) -> HTML { HTML(markup: "\(markup)") }

    /// A style sheet of ours; what is put into it has been checked.
    static func style(nonce: String, _ rules: String) -> HTML {
        HTML(markup: "\(opening("style", ["nonce": .text(nonce)]).markup)\n\(rules)\n</style>")
    }
}
