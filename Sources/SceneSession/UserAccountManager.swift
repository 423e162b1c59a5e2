import SceneModel
import SceneProtocol

/// The accounts of the app that `SceneSession.configure(app:)` or `$SCENED_APP` names, for programs without windows.
///
/// It follows the session through the process's own scene.
public final class UserAccountManager: Sendable {
    public static let shared = UserAccountManager()

    private init() {}

    /// What is asked for first is known soon.
    private static let follows: Void = ProcessScene.whenConnected { _ in }

    private var snapshot: Snapshot? {
        Self.follows
        return ProcessScene.connected?.snapshot
    }

    /// Nobody, until scened has been heard of; see `accounts()` to wait for that.
    public var currentAccount: Account? { snapshot?.current }

    public var userAccounts: [Account] { snapshot?.accounts ?? [] }

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

    /// The option that names the scene whose login a response is for; its value is the scene's identifier.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    // The Mobile SDK's name.
    public static let IDPSceneKey = "IDPSceneKey"

    /// Hands over a URL that the desktop opened for the app's private scheme: a login host's response, which finds its login
    /// by its state, or a message of another app that talks through URLs. An answer to that is opened.
    ///
    /// - Parameters:
    ///   - url: as it was opened.
    ///   - options: with `IDPSceneKey`, only the login of this scene may take it.
    /// - Returns: false where no login waits for it, or none any more; nothing has changed then.
    /// - Throws: `SceneError.connectionLost` where nobody knows whether it has arrived. Handed over twice, it is refused.
    @discardableResult
    public func handleIdentityProviderResponse(
        from url: String, with options: [String: String] = [:]
    ) async throws(SceneError) -> Bool {
        try await ProcessScene.shared().core.handleResponse(url: url, scene: options[Self.IDPSceneKey])
    }

    @discardableResult
    public func switchToUser(_ account: Account) async throws(SceneError) -> Account {
        try await ProcessScene.shared().switchAccount(to: account)
    }
}
