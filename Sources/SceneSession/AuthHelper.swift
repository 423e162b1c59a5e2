import SceneModel

/// The Mobile SDK's calls: a window signs in if required, and hears of switches and logouts.
///
/// Blocks run on the main actor. A completion runs exactly once, however its call ends; the form that takes a `Result`
/// is told how. Calls without a scene are made by a scene of the process's own.
public enum AuthHelper {
    /// The outcome of a login.
    public typealias Completion = @MainActor @Sendable (Result<Account, SceneError>) -> Void
    public typealias Block = @MainActor @Sendable () -> Void
    public typealias EventBlock = @MainActor @Sendable (Event) -> Void

    // MARK: Signing in

    /// Runs the completion when there is a current user, signing one in where there is none; or when that has failed.
    public static func loginIfRequired(_ scene: Scene, completion: @escaping Completion) {
        complete(completion) { () throws(SceneError) in try await scene.loginIfRequired() }
    }

    public static func loginIfRequired(_ scene: Scene, completion: @escaping Block) {
        loginIfRequired(scene) { (_: Result<Account, SceneError>) in completion() }
    }

    public static func loginIfRequired(_ completion: @escaping Completion) {
        complete(completion) { () throws(SceneError) in try await ProcessScene.shared().loginIfRequired() }
    }

    public static func loginIfRequired(_ completion: @escaping Block) {
        loginIfRequired { (_: Result<Account, SceneError>) in completion() }
    }

    // MARK: After a logout

    /// Runs the completion when there is a current user again: another account, one that the user chose, or a new
    /// sign-in, as the app's `AfterLogout` policy has it.
    public static func handleLogout(_ scene: Scene, completion: @escaping Completion) {
        complete(completion) { () throws(SceneError) in try await scene.handleLogout() }
    }

    public static func handleLogout(_ scene: Scene, completion: @escaping Block) {
        handleLogout(scene) { (_: Result<Account, SceneError>) in completion() }
    }

    public static func handleLogout(_ completion: @escaping Completion) {
        complete(completion) { () throws(SceneError) in try await ProcessScene.shared().handleLogout() }
    }

    public static func handleLogout(_ completion: @escaping Block) {
        handleLogout { (_: Result<Account, SceneError>) in completion() }
    }

    // MARK: Notifications

    /// Runs the block once for each change of the current user, until the scene closes. Only observes.
    @discardableResult
    public static func registerBlock(
        forCurrentUserChangeNotifications scene: Scene, completion: @escaping EventBlock
    ) -> Registration {
        Registration.add(.userChange(completion), to: scene)
    }

    @discardableResult
    public static func registerBlock(
        forCurrentUserChangeNotifications scene: Scene, completion: @escaping Block
    ) -> Registration {
        Registration.add(.userChange { _ in completion() }, to: scene)
    }

    @discardableResult
    public static func registerBlock(
        forCurrentUserChangeNotifications completion: @escaping EventBlock
    ) -> Registration {
        Registration.addToProcess(.userChange(completion))
    }

    @discardableResult
    public static func registerBlock(forCurrentUserChangeNotifications completion: @escaping Block) -> Registration {
        Registration.addToProcess(.userChange { _ in completion() })
    }

    /// Runs the block once for each account that is signed out, in whatever scene, until the scene closes. Only observes:
    /// call `handleLogout` to go on.
    @discardableResult
    public static func registerBlock(
        forLogoutNotifications scene: Scene, completion: @escaping EventBlock
    ) -> Registration {
        Registration.add(.logout(completion), to: scene)
    }

    @discardableResult
    public static func registerBlock(
        forLogoutNotifications scene: Scene, completion: @escaping Block
    ) -> Registration {
        Registration.add(.logout { _ in completion() }, to: scene)
    }

    @discardableResult
    public static func registerBlock(forLogoutNotifications completion: @escaping EventBlock) -> Registration {
        Registration.addToProcess(.logout(completion))
    }

    @discardableResult
    public static func registerBlock(forLogoutNotifications completion: @escaping Block) -> Registration {
        Registration.addToProcess(.logout { _ in completion() })
    }

    /// Runs the block for each request of another app to sign in through this one, its identity provider, that the scene
    /// is to ask the user about: answer with `scene.approve` or `scene.deny`. The event names `request` and
    /// `requestingApp`; it may come again where the scene that was asked before has gone.
    @discardableResult
    public static func registerBlock(
        forAuthorizationRequests scene: Scene, completion: @escaping EventBlock
    ) -> Registration {
        Registration.add(.authorizationRequest(completion, scene: scene.id), to: scene)
    }

    private static func complete(
        _ completion: @escaping Completion, _ call: @escaping @Sendable () async throws(SceneError) -> Account
    ) {
        Task {
            let result: Result<Account, SceneError>
            do throws(SceneError) {
                result = .success(try await call())
            } catch {
                result = .failure(error)
            }
            BlockQueue.add { completion(result) }
        }
    }
}
