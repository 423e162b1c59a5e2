import SceneModel

/// The pages of a login that is under way, below the address that only its user knows.
struct ScreenPages {
    let content: LoginScreenContent
    let messages: Messages
    /// Without it, nothing that is sent counts.
    let formToken: String

    private var screen: LoginScreen { content.screen }
    private var host: HTML { .isolated(content.hostLabel) }

    private func page(_ title: String, leading: HTML = HTML(), trailing: HTML = HTML()) -> Page {
        var page = Page(messages: messages, title: title)
        page.appearance = content.appearance
        if content.appearance.logo != nil {
            page.logo = .opening("img", ["class": "logo", "src": "logo", "alt": .text(content.appName)])
        }
        if screen.showsNavigationBar {
            page.bar = Page.Bar(title: content.title(messages), leading: leading, trailing: trailing)
        }
        return page
    }

    // MARK: The screen

    /// Where the user says who they are, and goes on.
    func screen(fault: LoginFault?, invalidAccount: Bool = false) -> Page {
        var page = page(
            content.title(messages), leading: screen.showsBackButton ? backButton : HTML(),
            trailing: screen.offersLoginHosts ? settingsLink : HTML())
        page.heading = messages.html("screen.heading", ["host": host])
        if content.hostLabel != content.host {
            page.body.append(Page.quiet(.isolated(content.host, limit: 500)))
        }
        if let fault {
            page.body.append(Page.alert(fault.html(messages, host: content.hostLabel)))
        }
        if invalidAccount { page.body.append(Page.alert([messages.html("invalid.account")])) }
        page.body.append(
            form(
                "go",
                [
                    .element("label", ["for": "account"], text: messages["screen.account"]),
                    .opening(
                        "input",
                        [
                            "id": "account", "name": "account", "type": "text", "value": .text(content.accountName),
                            "autocomplete": "username", "autocapitalize": "none", "spellcheck": "false",
                            "maxlength": "320", "aria-describedby": "account-hint",
                            "aria-invalid": invalidAccount ? "true" : nil,
                        ]),
                    .element("p", ["id": "account-hint", "class": "quiet"], text: messages["screen.account-hint"]),
                    .element(
                        "button", ["class": "primary"],
                        text: messages[fault == nil ? "screen.continue" : "screen.retry"]),
                ]))
        return page
    }

    private var backButton: HTML {
        form(
            "back",
            [.element("button", ["class": "back"], children: [Self.arrow, .element("span", text: messages["back"])])])
    }

    private var settingsLink: HTML {
        let icon: HTML =
            content.appearance.settingsIcon == nil ? Self.gear : .opening("img", ["src": "icon", "alt": ""])
        let label = messages["settings"]
        return .element(
            "a", ["class": "settings", "href": "hosts", "aria-label": .text(label), "title": .text(label)],
            content: icon)
    }

    // MARK: On the way

    /// While the login host's address is being asked for. It stays until what it asks for at once is answered.
    func preparing(askingAfter seconds: Int = 0) -> Page {
        var page = page(messages["progress.title"], leading: wayBack)
        page.body = [Page.said(messages.html("progress.preparing", ["host": host])), Self.working]
        page.refresh = Page.Refresh(seconds: seconds, address: "wait")
        return page
    }

    /// A form may only be sent to ourselves, and browsers count a redirect as part of that; so the way to the login host
    /// begins on a page of its own.
    func going(to uri: String) -> Page {
        var page = page(messages["progress.title"], leading: wayBack)
        page.body = [
            Page.said(messages.html("progress.going", ["host": host])),
            .element(
                "a", ["class": "go", "href": .text(uri)], content: messages.html("progress.link", ["host": host])),
        ]
        page.refresh = Page.Refresh(seconds: 0, address: uri)
        return page
    }

    var completing: Page {
        var page = page(messages["progress.completing-title"])
        page.body = [
            Page.said(messages.html("progress.completing")), Self.working,
            Page.paragraph(messages.html("close-window")),
        ]
        return page
    }

    private var wayBack: HTML {
        .element(
            "a", ["class": "back", "href": "./"], children: [Self.arrow, .element("span", text: messages["back"])])
    }

    // MARK: Login hosts

    static let shownHosts = 200

    /// Behind the gear.
    func hosts(_ problem: HostProblem? = nil) -> Page {
        var page = page(messages["hosts.title"], leading: wayBack)
        page.logo = nil
        page.body = [Page.paragraph(messages.html("hosts.intro"))]
        if let problem { page.body.append(Page.alert(problem.html(messages))) }
        page.body += [form("hosts", [.element("ul", ["class": "hosts"], children: shown.map(row))])]
        if shown.count < screen.loginHosts.count {
            let count = HTML.text("\(screen.loginHosts.count - shown.count)")
            page.body.append(Page.paragraph(messages.html("hosts.more", ["count": count])))
        }
        if screen.canAddLoginHost {
            page.body += [.element("h2", text: messages["hosts.add-title"]), addition(problem)]
        }
        return page
    }

    /// However many there are: the first ones, and the selected one. The administrator's own are all that there are.
    private var shown: [LoginHost] {
        guard screen.canAddLoginHost else { return screen.loginHosts }
        let first = screen.loginHosts.prefix(Self.shownHosts)
        guard let selected = screen.loginHosts.dropFirst(Self.shownHosts).first(where: { $0.url == content.host })
        else { return Array(first) }
        return [selected] + first.dropLast()
    }

    private func row(_ host: LoginHost) -> HTML {
        let isCurrent = host.url == content.host
        var lines: [HTML] = [.element("span", ["class": "name"], content: .isolated(host.label))]
        if host.label != host.url {
            lines.append(.element("span", ["class": "quiet address"], content: .isolated(host.url, limit: 2048)))
        }
        let notes = [isCurrent ? "hosts.selected" : nil, host.origin == .managed ? "hosts.managed" : nil]
        let words = notes.compactMap { $0.map { messages[$0] } }.joined(separator: " · ")
        if !words.isEmpty { lines.append(.element("span", ["class": "quiet note"], text: words)) }
        var buttons: [HTML] = [
            .element(
                "button",
                [
                    "class": "host", "name": "select", "value": .text(host.url),
                    "aria-current": isCurrent ? "true" : nil,
                ], children: lines)
        ]
        if host.removable {
            let label = messages.plain("hosts.remove-host", ["host": host.label])
            buttons.append(
                .element(
                    "button", ["name": "remove", "value": .text(host.url), "aria-label": .text(label)],
                    text: messages["hosts.remove"]))
        }
        return .element("li", children: buttons)
    }

    private func addition(_ problem: HostProblem?) -> HTML {
        let isWrong: HTML.Value? = problem?.isInAddress == true ? "true" : nil
        return form(
            "hosts",
            [
                .element("label", ["for": "address"], text: messages["hosts.address"]),
                .opening(
                    "input",
                    [
                        "id": "address", "name": "address", "type": "text", "inputmode": "url", "required": true,
                        "value": .text(problem?.address ?? ""), "autocapitalize": "none", "autocomplete": "off",
                        "spellcheck": "false", "maxlength": "2048", "aria-describedby": "address-hint",
                        "aria-invalid": isWrong,
                    ]),
                .element("p", ["id": "address-hint", "class": "quiet"], text: messages["hosts.address-hint"]),
                .element("label", ["for": "label"], text: messages["hosts.label"]),
                .opening(
                    "input",
                    [
                        "id": "label", "name": "label", "type": "text", "value": .text(problem?.label ?? ""),
                        "autocomplete": "off", "maxlength": "200",
                    ]),
                .element("button", ["class": "primary", "name": "add", "value": "1"], text: messages["hosts.add"]),
            ])
    }

    private func form(_ action: String, _ fields: [HTML]) -> HTML {
        let token = HTML.opening("input", ["type": "hidden", "name": "token", "value": .text(formToken)])
        return .element("form", ["method": "post", "action": .text(action)], children: [token] + fields)
    }
}

extension ScreenPages {
    /// That something is going on, for those who see it; others are told.
    private static let working = HTML.ours(#"<div class="working" aria-hidden="true"></div>"#)

    private static let arrow = HTML.ours(
        """
        <svg viewBox="0 0 24 24" aria-hidden="true"><path fill="none" stroke="currentColor" stroke-width="2.5" \
        stroke-linecap="round" stroke-linejoin="round" d="M15 5l-7 7 7 7"/></svg>
        """)

    /// Eight teeth, a ring and its hole.
    private static let gear = HTML.ours(
        """
        <svg viewBox="0 0 24 24" aria-hidden="true"><g fill="none" stroke="currentColor"><circle cx="12" cy="12" r="9" \
        stroke-width="3.4" stroke-dasharray="3.534 3.534" stroke-dashoffset="1.767"/><circle cx="12" cy="12" r="5.8" \
        stroke-width="3.6"/></g></svg>
        """)
}
