/// The login screen's texts in one language. A key that a language lacks is taken from English.
struct Messages: Sendable {
    /// BCP 47.
    let language: String
    private let texts: [String: String]

    static let english = Messages("en", PackageResources.en_messages, over: [:])
    static let all = [english, Messages("de", PackageResources.de_messages, over: english.texts)]

    private init(_ language: String, _ file: [UInt8], over texts: [String: String]) {
        self.language = language
        self.texts = texts.merging(Self.read(String(decoding: file, as: UTF8.self))) { $1 }
    }

    /// `key = text`, one a line; `#` begins a comment.
    static func read(_ file: String) -> [String: String] {
        var texts: [String: String] = [:]
        for line in file.split(separator: "\n") where !line.hasPrefix("#") {
            guard let mark = line.firstRange(of: " = ") else { continue }
            texts[String(line[..<mark.lowerBound])] = String(line[mark.upperBound...])
        }
        return texts
    }

    /// The language that the reader likes best of those there are (Accept-Language; RFC 9110, section 12.5.4). A longer
    /// tag counts for its language.
    static func preferred(_ accepted: String?) -> Messages {
        var best = (messages: english, quality: 0.0)
        for part in (accepted ?? "").prefix(1000).split(separator: ",").prefix(50) {
            let fields = part.split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
            guard let tag = fields.first?.split(separator: "-").first else { continue }
            let weight = fields.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            guard weight > best.quality, let messages = all.first(where: { $0.language == tag }) else { continue }
            best = (messages, weight)
        }
        return best.messages
    }

    /// A text that has nothing to fill in.
    subscript(key: String) -> String { texts[key] ?? key }

    var keys: Set<String> { Set(texts.keys) }

    /// A text as HTML, with its `{name}`s filled in.
    func html(_ key: String, _ values: [String: HTML] = [:]) -> HTML {
        var html = HTML()
        var rest = self[key][...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            html += .text(String(rest[..<open]))
            html += values[String(rest[rest.index(after: open)..<close])] ?? HTML()
            rest = rest[rest.index(after: close)...]
        }
        return html + .text(String(rest))
    }

    /// The same, for what can hold no markup.
    func plain(_ key: String, _ values: [String: String]) -> String {
        values.reduce(self[key]) { $0.replacing("{\($1.key)}", with: $1.value) }
    }
}
