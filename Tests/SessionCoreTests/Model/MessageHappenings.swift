import SceneModel

@testable import SessionCore

// Apps that are no sessions of this daemon's, and talk to it through URLs.
extension RandomHistory {
    static let elsewhere = "com.example.mail:"

    func takeMessage() {
        if stage.session.policy.identityProviderFor.contains(Self.elsewhere) { return askFromElsewhere() }
        guard stage.session.policy.identityProvider?.isScheme == true else { return }
        if let sent = stage.session.login?.sent, !generator.once(in: 6) {
            let request = generator.once(in: 3) ? "made-up" : sent.request
            let code = pick(["access_denied", Session.nobodyThereCode]) ?? ""
            detail("\(request) is answered with \(code)")
            let wasEnding = stage.session.login?.isEnding
            stage.happens { $0.requestRefused(request, code: code, description: nil, world: $1) }
            let login = stage.session.login
            if request == "made-up", login?.isEnding != wasEnding || login?.sent != sent {
                fault("a made-up answer counts")
            }
        } else {
            detail("the provider invites")
            let isBusy = stage.session.login != nil || stage.session.record.locked
            stage.happens { $0.loginInvited(loginHint: nil, world: $1) }
            if !isBusy, stage.session.login?.sent?.isInvited == true { count("a provider has an app ask it") }
        }
    }

    private func askFromElsewhere() {
        let request = "elsewhere-\(stage.nextNumber())"
        let question = AuthorizationQuestion(
            request: request, requestingApp: Self.elsewhere, loginHosts: [AppPolicy.production], loginHint: nil,
            expiry: stage.now.boot.advanced(bySeconds: pick([1, 60, 600]) ?? 60))
        guard stage.session.hasRoomForMessages else { return }
        detail(request)
        stage.happens { $0.askerSaid(.asks(question), world: $1) }
        if stage.session.authorizations[request] != nil { count("an app asks by a URL") }
    }

    /// The daemon finds out what there is to open.
    func answeredElsewhere(_ request: String, _ answer: ProviderAnswer) {
        guard case .approved = answer else { return }
        mailbox.post(request, to: stage.session.key) { history in
            let opening: Opening =
                history.generator.once(in: 4)
                ? .message("com.example.mail:/idp/error") : .loginHost(authorizationUri: "https://h/a")
            history.stage.happens { $0.askerSaid(.isReady(request: request, opening), world: $1) }
        }
    }
}
