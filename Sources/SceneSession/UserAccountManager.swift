import SceneModel

/// The accounts of the app that `SceneSession.configure(app:)` or `$SCENED_APP` names, for programs without windows.
///
/// It follows the session through the process's own scene.
public final class UserAccountManager: Sendable {
    public static let shared = UserAccountManager()

    private init() {
        // What is asked for first is known soon.
        ProcessScene.whenConnected { _ in }
    }

    /// Nobody, until scened has been heard of; see `accounts()` to wait for that.
    public var currentAccount: Account? { ProcessScene.connected?.snapshot.current }

    public var userAccounts: [Account] { ProcessScene.connected?.snapshot.accounts ?? [] }

    public func accounts() async throws(SceneError) -> [Account] {
        try await ProcessScene.shared().accounts().accounts
    }

    /// Signs in one more account and makes it current.
    @discardableResult
    public func login(
        options: LoginOptions = LoginOptions(), progress: LoginProgressBlock? = nil
    ) async throws(SceneError) -> Account {
        try await ProcessScene.shared().login(options: options, progress: progress)
    }

    /// Signs an account out, the current one by default.
    @discardableResult
    public func logout(_ account: Account? = nil, reason: String? = nil) async throws(SceneError) -> LogoutResult {
        try await ProcessScene.shared().logout(account, reason: reason)
    }

    @discardableResult
    public func logoutAll(reason: String? = nil) async throws(SceneError) -> [LogoutResult] {
        try await ProcessScene.shared().logoutAll(reason: reason)
    }

    @discardableResult
    public func switchToUser(_ account: Account) async throws(SceneError) -> Account {
        try await ProcessScene.shared().switchAccount(to: account)
    }
}
