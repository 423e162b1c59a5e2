/// A page of ours: a bar where there is one, one heading, and what there is to say.
struct Page {
    enum Tone: String {
        case plain, success, failure
    }

    /// The navigation bar.
    struct Bar {
        var title: String
        var leading = HTML()
        var trailing = HTML()
    }

    /// Leads on by itself.
    struct Refresh {
        var seconds: Int
        var address: String
    }

    var messages: Messages
    var title: String
    /// The title, where it is nil.
    var heading: HTML?
    var tone = Tone.plain
    var bar: Bar?
    var appearance = Appearance()
    /// Only where the login's own address serves it.
    var logo: HTML?
    var body: [HTML] = []
    var refresh: Refresh?

    /// - Parameter nonce: lets this page's style sheets, and no other, apply (Content-Security-Policy).
    func html(nonce: String) -> String {
        let page = HTML.element("html", ["lang": .text(messages.language)], children: [head(nonce), content])
        return "<!DOCTYPE html>\n\(page.markup)\n"
    }

    private func head(_ nonce: String) -> HTML {
        var lines: [HTML] = [
            .ours(
                """
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta name="color-scheme" content="light dark">
                <meta name="robots" content="noindex">
                """)
        ]
        if let refresh {
            let content = "\(refresh.seconds);url=\(refresh.address)"
            lines.append(.opening("meta", ["http-equiv": "refresh", "content": .text(content)]))
        }
        lines.append(.element("title", text: title))
        let rules = [Self.style, appearance.variables].filter { !$0.isEmpty }.joined(separator: "\n")
        lines.append(.style(nonce: nonce, rules))
        if let own = appearance.styleSheet?.text { lines.append(.style(nonce: nonce, own)) }
        return .element("head", children: lines)
    }

    private var content: HTML {
        let card = (logo.map { [$0] } ?? []) + [.element("h1", content: heading ?? .text(title))] + body
        let main = HTML.element("main", children: [.element("div", ["class": "card"], children: card)])
        return .element("body", ["class": .text(tone.rawValue)], children: (bar.map { [$0.html] } ?? []) + [main])
    }

    /// What a screen reader is to announce.
    static func said(_ html: HTML, isFault: Bool = false) -> HTML {
        .element("p", ["role": isFault ? "alert" : "status"], content: html)
    }

    static func paragraph(_ html: HTML) -> HTML { .element("p", content: html) }

    /// What can be left unread.
    static func quiet(_ html: HTML) -> HTML { .element("p", ["class": "quiet"], content: html) }
}

extension Page.Bar {
    fileprivate var html: HTML {
        .element(
            "header", ["class": "bar"],
            children: [
                .element("div", ["class": "leading"], content: leading),
                .element("p", ["class": "title"], text: title),
                .element("div", ["class": "trailing"], content: trailing),
            ])
    }
}
