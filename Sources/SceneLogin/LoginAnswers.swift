// What browsers are answered.

extension LoginPages {
    func requested(_ exchange: Exchange, at server: HTTPServer) {
        let answer = routes.requested(
            exchange.head, form: exchange.form, at: server.endpoint, from: { server.uid(of: exchange) })
        switch answer {
        case .refuse(let refusal): exchange.answer(Response(refusal, exchange.messages))
        case .show(let route, .wait): wait(exchange, at: server, for: route)
        case .show(let route, let address): exchange.answer(response(route, address, exchange.messages))
        case .act(let route, let action):
            guard let content = content(route.login) else {
                return exchange.answer(Response(.ended(exchange.messages)))
            }
            lastAction += 1
            let number = lastAction
            acting[number] = Held(login: route.login, server: server, exchange: exchange, content: content)
            server.afterwards { [weak self] in
                guard let self, acting[number] != nil else { return }
                onAction(route.login, action) { [weak self] result in self?.acted(number, result) }
            }
        case .callback(let login, let query):
            respond(login) { Response(.ended($0.exchange.messages)) }
            held[login] = Held(
                login: login, server: server, exchange: exchange, content: content(login) ?? LoginScreenContent())
            server.afterwards { [weak self] in self?.returned(login, query, exchange) }
        }
    }

    /// The window shows the page before until then.
    private func wait(_ exchange: Exchange, at server: HTTPServer, for route: LoginRoute) {
        guard case .preparing = route.stage, let content = content(route.login) else {
            return exchange.answer(response(route, .go, exchange.messages))
        }
        guard waiting.count(where: { routes.logins[$0.login]?.uid == route.uid }) < Self.waitingLimit else {
            let pages = ScreenPages(content: content, messages: exchange.messages, formToken: route.formToken)
            return exchange.answer(Response(pages.preparing(askingAfter: 1)))
        }
        waiting.append(Held(login: route.login, server: server, exchange: exchange, content: content))
    }

    /// Windows that wait for the way on go there.
    func goOn(login: Int) {
        guard let route = routes.logins[login] else { return }
        for held in takeWaiting(of: login) {
            held.server.answer(held.exchange, response(route, .go, held.exchange.messages))
        }
    }

    func takeWaiting(of login: Int) -> [Held] {
        let taken = waiting.filter { $0.login == login }
        waiting.removeAll { $0.login == login }
        return taken
    }

    private func response(_ route: LoginRoute, _ address: ScreenAddress, _ messages: Messages) -> Response {
        guard let content = content(route.login) else { return Response(.ended(messages)) }
        let pages = ScreenPages(content: content, messages: messages, formToken: route.formToken)
        switch (address, route.stage) {
        case (.logo, _): return content.appearance.logo.map(Response.init) ?? Response(.unknownAddress, messages)
        case (.icon, _):
            return content.appearance.settingsIcon.map(Response.init) ?? Response(.unknownAddress, messages)
        case (_, .returned): return Response(pages.completing)
        case (.hosts, _):
            return content.screen.offersLoginHosts ? Response(pages.hosts()) : Response(.unknownAddress, messages)
        case (.screen, .failed(let fault)), (.go, .failed(let fault)), (.wait, .failed(let fault)):
            return Response(pages.screen(fault: fault))
        case (.screen, .ready(_, let uri)) where !content.appearance.showsScreen: return Response(redirectTo: uri)
        case (.screen, .preparing) where !content.appearance.showsScreen: return Response(pages.preparing())
        case (.screen, _), (.back, _): return Response(pages.screen(fault: nil))
        case (.go, .preparing), (.wait, .preparing): return Response(pages.preparing())
        case (.go, .ready(_, let uri)), (.wait, .ready(_, let uri)):
            return Response(pages.going(to: Response.header(uri)))
        }
    }

    private func acted(_ number: Int, _ result: ScreenActionResult) {
        guard let held = acting.removeValue(forKey: number) else { return }
        let messages = held.exchange.messages
        let route = routes.logins[held.login]
        let content = content(held.login) ?? held.content
        let pages = ScreenPages(content: content, messages: messages, formToken: route?.formToken ?? "")
        func redirect(_ address: ScreenAddress) -> Response {
            Response(redirectTo: "/\(route?.token ?? "")/\(address.rawValue)")
        }
        let response =
            switch result {
            case .goOn: redirect(.go)
            case .screen: redirect(.screen)
            case .hosts: redirect(.hosts)
            case .refused(let problem): Response(pages.hosts(problem), status: 400)
            case .invalidAccountName: Response(pages.screen(fault: nil, invalidAccount: true), status: 400)
            case .ended(let outcome): Response(Page(outcome, content, messages))
            }
        held.server.answer(held.exchange, response)
    }

    private func returned(_ login: Int, _ query: String, _ exchange: Exchange) {
        guard held[login]?.exchange === exchange else { return }
        onCallback(login, query) { [weak self] outcome in
            guard let self, held[login]?.exchange === exchange else { return }
            respond(login) { Response(Page(outcome, $0.content, $0.exchange.messages)) }
        }
    }

    func respond(_ login: Int, _ response: (Held) -> Response) {
        guard let held = held.removeValue(forKey: login) else { return }
        held.server.answer(held.exchange, response(held))
    }
}
