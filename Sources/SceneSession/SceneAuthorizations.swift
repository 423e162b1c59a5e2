import SceneModel
import SceneProtocol

/// Shows another app's login screen, given its address.
public typealias LoginScreenBlock = @MainActor @Sendable (_ loginScreen: String) -> Void

/// What a scene of an identity provider app does for the apps that sign in through it.
extension Scene {
    /// What waits for an answer, in whichever scene: also after some history was lost.
    public func authorizationRequests() async throws(SceneError) -> [AuthorizationRequest] {
        try await core.call(ListAuthorizations.self, ListAuthorizations.Parameters(app: app)).requests
    }

    /// Lets the app that asks sign in with this account, and opens its login screen once that is up; for one that has asked
    /// by a URL, the login host itself.
    ///
    /// - Parameter present: opens the login screen where the user has a session at the login host; without it, the
    ///   user's browser does, or its address is written to standard error where there is no display.
    /// - Throws: `Failure.unknownRequest` where it does not wait for an answer any more, `.unknownAccount`,
    ///   `.unknownLoginHost` where the other app cannot sign in at the account's, `.interactionRequired`,
    ///   `.sessionLocked`; and what ends the other app's login before its login screen is up.
    public func approve(
        _ request: String, as account: Account, present: LoginScreenBlock? = nil
    ) async throws(SceneError) {
        try await authorize(
            AuthorizeApp.Parameters(
                app: app, scene: id, request: request, decision: .approve, account: account.id), present)
    }

    /// Begins a login of another app, one that names this as its identity provider, and opens its login screen.
    ///
    /// - Throws: `Failure.accessDenied` where one of the two does not name the other, `.loginFailed` with
    ///   `login_in_progress`, and what `approve` throws.
    public func beginLogin(
        of requestingApp: String, as account: Account, present: LoginScreenBlock? = nil
    ) async throws(SceneError) {
        try await authorize(
            AuthorizeApp.Parameters(
                app: app, scene: id, requestingApp: requestingApp, decision: .approve, account: account.id), present)
    }

    /// Does not let the app sign in: its login ends with `code`, `access_denied` by default.
    public func deny(
        _ request: String, code: String? = nil, description: String? = nil
    ) async throws(SceneError) {
        let reply = try await core.call(
            AuthorizeApp.self,
            AuthorizeApp.Parameters(
                app: app, scene: id, request: request, decision: .deny, code: code, description: description),
            isRepeatable: false)
        LoginAddress.hand(reply.message, on: core.transport.loop)
    }

    private func authorize(
        _ parameters: AuthorizeApp.Parameters, _ present: LoginScreenBlock?
    ) async throws(SceneError) {
        let reply = try await core.call(AuthorizeApp.self, parameters, isRepeatable: false)
        let loop = core.transport.loop
        if let message = reply.message { return LoginAddress.hand(message, on: loop) }
        guard let screen = reply.loginScreen ?? reply.authorizationUri else {
            throw .unexpected("an approval without a login screen")
        }
        BlockQueue.add {
            if let present { present(screen) } else { LoginAddress.open(screen, on: loop) }
        }
    }
}
