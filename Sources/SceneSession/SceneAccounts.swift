import SceneModel
import SceneProtocol

/// Who a user is, as the login host last signed it.
public struct Identity: Sendable {
    /// The ID token (OpenID Connect Core 1.0, section 2); absent where the login host gave none.
    public var idToken: Secret?
    /// Its claims and userinfo's, as one JSON object.
    public var claims: String
}

extension Scene {
    public func accounts() async throws(SceneError) -> (accounts: [Account], current: Account?) {
        let reply = try await core.call(ListAccounts.self, ListAccounts.Parameters(app: app))
        await core.reached(reply.at)
        return (reply.accounts, reply.current)
    }

    /// Makes an account current, in all scenes. Throws `Failure.unknownAccount`.
    @discardableResult
    public func switchAccount(to account: Account) async throws(SceneError) -> Account {
        let reply = try await core.call(
            SwitchAccount.self, SwitchAccount.Parameters(app: app, scene: id, account: account.id))
        await core.reached(reply.at)
        return reply.account
    }

    /// Signs an account out, in every scene and at its login host: the current one where none is named. It cannot fail
    /// because the login host cannot be reached; the result tells.
    ///
    /// - Throws: `Failure.notSignedIn`, `.unknownAccount`, `.storageUnavailable`.
    @discardableResult
    public func logout(_ account: Account? = nil, reason: String? = nil) async throws(SceneError) -> LogoutResult {
        // Named before the call is made: made twice, it must not sign out whoever came after.
        guard let account = account ?? snapshot.current else { throw .failure(.notSignedIn) }
        let reply = try await core.call(
            Logout.self, Logout.Parameters(app: app, scene: id, account: account.id, reason: reason))
        await core.reached(reply.at)
        return reply.result
    }

    /// Signs every account out, as one change. Made twice, it would sign out whoever came in between: a connection lost
    /// on the way ends it with `connectionLost`.
    @discardableResult
    public func logoutAll(reason: String? = nil) async throws(SceneError) -> [LogoutResult] {
        let reply = try await core.call(
            LogoutAll.self, LogoutAll.Parameters(app: app, scene: id, reason: reason), isRepeatable: false)
        await core.reached(reply.at)
        return reply.results
    }

    /// A token that lives for at least `minimumValidity` seconds, 60 by default. However many ask, one refresh runs.
    ///
    /// - Parameters:
    ///   - account: the current one where none is named.
    ///   - rejected: the token that a resource refused; a newer one is returned.
    /// - Throws: `Failure.notSignedIn`, `.unknownAccount`, `.interactionRequired` where the user has to sign in again,
    ///   `.loginHostUnavailable`, `.loginFailed` where its answer is not in order, `.sessionLocked`.
    public func accessToken(
        for account: Account? = nil, minimumValidity: Int? = nil, rejected: Secret? = nil, scope: String? = nil,
        audience: String? = nil
    ) async throws(SceneError) -> AccessToken {
        try await core.call(
            GetAccessToken.self,
            GetAccessToken.Parameters(
                app: app, account: account?.id, minimumValiditySeconds: minimumValidity, rejected: rejected,
                scope: scope, audience: audience)
        ).token
    }

    public func identity(of account: Account? = nil) async throws(SceneError) -> Identity {
        let reply = try await core.call(GetIdentity.self, GetIdentity.Parameters(app: app, account: account?.id))
        return Identity(idToken: reply.idToken, claims: reply.claims.text)
    }

    /// Has no more tokens handed out until the session is unlocked. With `Lock=session` the user's screen does so, too.
    public func lock() async throws(SceneError) {
        _ = try await core.call(Lock.self, Lock.Parameters(app: app))
    }

    /// Throws `Failure.accessDenied` where the app has `Lock=session`, and the screen is locked or logind does not tell.
    public func unlock() async throws(SceneError) {
        _ = try await core.call(Unlock.self, Unlock.Parameters(app: app))
    }
}

extension Scene {
    /// How the login screen looks, and the login hosts on it.
    public func loginScreen() async throws(SceneError) -> LoginScreen {
        try await core.call(GetLoginScreen.self, GetLoginScreen.Parameters(app: app)).screen
    }

    /// Throws `Failure.invalidLoginHost`, `.accessDenied`, `.quotaExceeded`. One that is there already is returned.
    @discardableResult
    public func addLoginHost(url: String, label: String? = nil) async throws(SceneError) -> LoginHost {
        try await core.call(
            AddLoginHost.self, AddLoginHost.Parameters(app: app, scene: id, url: url, label: label)
        ).loginHost
    }

    /// Throws `Failure.loginHostNotRemovable`, `.unknownLoginHost`, `.accessDenied`.
    public func removeLoginHost(url: String) async throws(SceneError) {
        _ = try await core.call(
            RemoveLoginHost.self, RemoveLoginHost.Parameters(app: app, scene: id, url: url), isRepeatable: false)
    }

    /// Throws `Failure.unknownLoginHost`, `.accessDenied`.
    public func selectLoginHost(url: String) async throws(SceneError) {
        _ = try await core.call(
            SelectLoginHost.self, SelectLoginHost.Parameters(app: app, scene: id, url: url))
    }
}
