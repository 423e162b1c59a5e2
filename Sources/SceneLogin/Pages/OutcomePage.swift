extension Page {
    /// The last page of a login.
    init(_ outcome: LoginOutcome, _ content: LoginScreenContent, _ messages: Messages) {
        switch outcome {
        case .signedIn(let name, let wanted):
            self.init(messages: messages, title: messages["signed-in.title"], tone: .success)
            let signedIn =
                name.map { messages.html("signed-in.as", ["name": .isolated($0)]) } ?? messages.html("signed-in.plain")
            if let wanted, let name {
                let values = ["wanted": HTML.isolated(wanted), "name": .isolated(name)]
                let alert = [messages.html("wrong-account.what", values), messages.html("wrong-account.todo")]
                body = [Self.said(signedIn), Self.alert(alert), closing()]
            } else {
                body = [Self.said(signedIn + .text(" \(messages["close-window"])"))]
            }
        case .failed(let fault):
            self.init(messages: messages, title: messages["failed.title"], tone: .failure)
            let words = fault.html(messages, host: content.hostLabel)
            body = [Self.said(words[0], isFault: true), Self.paragraph(words[1])]
            body += words.dropFirst(2).map(Self.quiet) + [closing()]
        case .cancelled:
            self.init(messages: messages, title: messages["cancelled.title"])
            body = [Self.said(messages.html("cancelled.what")), closing("cancelled.todo")]
        case .wentBack(let address):
            self.init(messages: messages, title: messages["cancelled.title"])
            let link = messages.html("cancelled.link", ["app": .isolated(content.appName)])
            body = [
                Self.said(messages.html("cancelled.what")),
                .element("a", ["class": "go", "href": .text(address)], content: link),
            ]
            refresh = Refresh(seconds: 0, address: address)
        case .handedBack(let app):
            self.init(messages: messages, title: messages["handed-back.title"])
            body = [Self.said(messages.html("handed-back.what", ["app": .isolated(app)])), closing()]
        }
        dress(content)
    }

    /// For a window whose login ended while it waited.
    static func ended(_ messages: Messages) -> Page {
        var page = Page(messages: messages, title: messages["ended.title"])
        page.body = [said(messages.html("ended.what")), page.closing("ended.todo")]
        return page
    }

    init(_ refusal: Refusal, _ messages: Messages) {
        self.init(messages: messages, title: messages["refused.title"], tone: .failure)
        body = [Self.said(messages.html("refused.\(refusal.key)"), isFault: true), closing("refused.todo")]
    }

    private func closing(_ key: String? = nil) -> HTML {
        let words = [key, "close-window"].compactMap { $0.map { messages[$0] } }
        return Self.paragraph(.text(words.joined(separator: " ")))
    }

    /// What happened and what to do, where the page has more to say besides.
    static func alert(_ words: [HTML]) -> HTML {
        let paragraphs = words.prefix(2).map(paragraph) + words.dropFirst(2).map(quiet)
        return .element("div", ["class": "alert", "role": "alert"], children: paragraphs)
    }

    /// In the app's colours, with its bar where it has one, but nothing on it to press.
    private mutating func dress(_ content: LoginScreenContent) {
        appearance = content.appearance
        if content.screen.showsNavigationBar { bar = Bar(title: content.title(messages)) }
    }
}
