/// A page of ours: one heading, and what there is to say.
struct Page {
    enum Tone: String {
        case plain, success, failure
    }

    var title: String
    var tone = Tone.plain
    /// Paragraphs; the first is the one that a screen reader is to announce.
    var paragraphs: [HTML]
    /// Loads itself again after so many seconds.
    var refreshSeconds: Int?

    /// - Parameter nonce: lets this page's style sheet, and no other, apply (Content-Security-Policy).
    func html(nonce: String) -> String {
        let refresh = refreshSeconds.map { "<meta http-equiv=\"refresh\" content=\"\($0)\">\n" } ?? ""
        let role = tone == .failure ? "alert" : "status"
        let body = paragraphs.enumerated().map { index, paragraph in
            index == 0 ? "<p role=\"\(role)\">\(paragraph.markup)</p>" : "<p>\(paragraph.markup)</p>"
        }
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="robots" content="noindex">
            \(refresh)<title>\(HTML.text(title).markup)</title>
            <style nonce="\(nonce)">
            \(Self.style)
            </style>
            </head>
            <body>
            <main class="\(tone.rawValue)">
            <h1>\(HTML.text(title).markup)</h1>
            \(body.joined(separator: "\n"))
            </main>
            </body>
            </html>

            """
    }

    private static let style = """
        :root { color-scheme: light dark; --ground: #f2f4f6; --card: #fff; --text: #1c2126; --accent: #5b6672; }
        main.success { --accent: #18794e; }
        main.failure { --accent: #b3261e; }
        @media (prefers-color-scheme: dark) {
          :root { --ground: #14171a; --card: #1f2428; --text: #e8ebee; --accent: #9aa6b2; }
          main.success { --accent: #5bc48c; }
          main.failure { --accent: #ff8a80; }
        }
        * { box-sizing: border-box; }
        body { margin: 0; min-height: 100vh; display: flex; align-items: center; justify-content: center; padding: 1rem;
          background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
        main { width: 100%; max-width: 32rem; padding: 1.75rem; background: var(--card); border-radius: .75rem;
          border-top: .3rem solid var(--accent); box-shadow: 0 1px 6px rgb(0 0 0 / .18); overflow-wrap: anywhere; }
        h1 { margin: 0 0 .75rem; font-size: 1.4rem; line-height: 1.25; color: var(--accent); }
        p { margin: .5rem 0 0; }
        """
}
