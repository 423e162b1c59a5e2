import SceneModel

// What a scene of the identity provider app answers where another app asks, or begins by itself.

extension Session {
    /// The user lets the other app sign in with this account. The call is answered when that app's login screen is up.
    ///
    /// Errors: UnknownScene, SessionLocked, UnknownRequest, UnknownAccount, InteractionRequired, UnknownLoginHost.
    package mutating func authorizationApproved(_ caller: Caller, request id: String, account: String, world: World)
        -> [Action]
    {
        if let refusal = refusalOfAnswer(caller) { return [.fail(caller.call, refusal)] }
        guard var open = openAuthorization(id, world) else { return [.fail(caller.call, .unknownRequest(id))] }
        let choice: AuthorizedAccount
        switch choose(account) {
        case .success(let chosen): choice = chosen
        case .failure(let failure): return [.fail(caller.call, failure)]
        }
        guard open.question.loginHosts.contains(choice.account.loginHost) else {
            return [.fail(caller.call, .unknownLoginHost(choice.account.loginHost))]
        }
        open.state = .approved(scene: caller.scene ?? "", caller)
        authorizations[id] = open
        let app = open.question.requestingApp
        return [
            .audit(audit(.authorizationApproved, choice.account, caller, reason: app)),
            .tellAsker(app, request: id, .approved(choice)),
        ] + enqueue(.endAuthorization(id, app: app, reason: "approved"), world)
    }

    /// The user does not. `code` and `description` are what the other app is told, `access_denied` by default.
    ///
    /// Errors: UnknownScene, SessionLocked, UnknownRequest, InvalidParameter.
    package mutating func authorizationDenied(
        _ caller: Caller, request id: String, code: String?, description: String?, world: World
    ) -> [Action] {
        if let refusal = refusalOfAnswer(caller) { return [.fail(caller.call, refusal)] }
        if let code, !isText(code) { return [.fail(caller.call, .invalidParameter("code"))] }
        if let description, !isText(description) { return [.fail(caller.call, .invalidParameter("description"))] }
        guard let open = openAuthorization(id, world) else { return [.fail(caller.call, .unknownRequest(id))] }
        authorizations[id] = nil
        let app = open.question.requestingApp
        return [
            .reply(caller.call, .denied(request: id, code: code ?? "access_denied", description: description)),
            .audit(audit(.authorizationDenied, nil, caller, reason: app)),
            .tellAsker(app, request: id, .denied(code: code ?? "access_denied", description: description)),
        ] + enqueue(.endAuthorization(id, app: app, reason: "denied"), world)
    }

    /// The user begins a login of the other app here, with this account.
    ///
    /// Errors: as of `authorizationApproved`; AccessDenied where the app is none that may ask.
    package mutating func authorizationBegun(_ caller: Caller, requestingApp app: String, account: String, world: World)
        -> [Action]
    {
        if let refusal = refusalOfAnswer(caller) { return [.fail(caller.call, refusal)] }
        guard policy.identityProviderFor.contains(app) else {
            let reason = "IdentityProviderFor= of \(key.app) does not name \(app)"
            return [.fail(caller.call, .accessDenied(reason: reason))]
        }
        let choice: AuthorizedAccount
        switch choose(account) {
        case .success(let chosen): choice = chosen
        case .failure(let failure): return [.fail(caller.call, failure)]
        }
        let id = world.newIdentifier()
        authorizations[id] = Authorization(
            question: AuthorizationQuestion(
                request: id, requestingApp: app, loginHosts: [choice.account.loginHost], loginHint: nil),
            state: .approved(scene: caller.scene ?? "", caller), expiry: world.now.boot)
        return [
            .audit(audit(.authorizationApproved, choice.account, caller, reason: app)),
            .offerLogin(app, request: id, choice),
        ]
    }

    private func refusalOfAnswer(_ caller: Caller) -> Failure? {
        guard let scene = caller.scene, scenes[scene] != nil else { return .unknownScene(caller.scene ?? "") }
        return record.locked ? .sessionLocked : nil
    }

    /// What may be answered, once, and in time.
    private func openAuthorization(_ id: String, _ world: World) -> Authorization? {
        guard let open = authorizations[id], case .open = open.state, open.expiry > world.now.boot else { return nil }
        return open
    }

    private func choose(_ account: String) -> Result<AuthorizedAccount, Failure> {
        guard let holder = self.account(account) else { return .failure(.unknownAccount(account)) }
        guard holder.account.state != .loginRequired else {
            return .failure(.interactionRequired(reason: holder.reason ?? "grantRefused"))
        }
        return .success(AuthorizedAccount(account: holder.account, idToken: holder.grant.idToken))
    }
}
