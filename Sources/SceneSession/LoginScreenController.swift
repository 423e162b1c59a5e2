import SceneModel

/// Presents one login of a scene to the user: in the browser, or on the terminal, or as a subclass likes.
///
/// One is created, by `loginScreenCreationBlock`, when the scene is to present a login that it has asked for without a
/// `progress` block of its own; however many of its calls wait for that login. `didLoad` and `present` follow, and in the
/// end `didEnd`. All of it runs on the main actor, in programs with a run loop of their own by
/// `SceneSession.deliverBlocks(by:)`.
///
/// By itself it opens the user's browser where there is a display; else it draws the login screen on the terminal, where
/// it may (`LoginScreenConfiguration.presentsInTerminal`); else it writes the address, or the code for another device, to
/// standard error. A subclass changes what stands in the navigation bar by overriding what creates it, or presents the
/// login altogether differently by overriding `present` and `didEnd`.
@MainActor open class LoginScreenController {
    public let scene: Scene
    /// How the screen looks, with what this process has configured, and its login hosts; from `didLoad` on.
    public internal(set) var loginScreen = LoginScreen()
    /// How the login stands: the address to open, the code to type; from `didLoad` on.
    public internal(set) var progress = LoginProgress(.presenting)
    /// The one that the login was asked for at, in place of the selected one.
    var loginHost: String?
    private lazy var standard = StandardLoginScreen(on: scene.core.transport.loop)

    public init(scene: Scene) {
        self.scene = scene
    }

    // MARK: What a subclass may have differently

    /// All properties are there; nothing has been presented yet. Does nothing by itself.
    open func didLoad() {}

    /// What stands in the middle of the navigation bar; by default the configured title.
    open func createTitleItem() -> NavigationBarItem? {
        NavigationBarItem(loginScreen.title)
    }

    open func createBackButton() -> NavigationBarItem? {
        NavigationBarItem("Back")
    }

    /// What leads to the login hosts. It is only asked for where they are shown; nil: there is none.
    open func createSettingsButton() -> NavigationBarItem? {
        NavigationBarItem("Login hosts")
    }

    /// By default where the login screen says so: there is a current user or an identity provider to go back to, or the
    /// configuration wants it.
    open func shouldShowBackButton() -> Bool {
        loginScreen.showsBackButton
    }

    /// The user wants to go back. By default that cancels the login, for everybody who waits for it. Where
    /// `loginScreen.backButtonAction` is `identityProvider`, the next login of the program's asks that one again.
    open func handleBackButtonAction() {
        cancelLogin()
    }

    /// Shows how the login stands: `presenting`, with an address or a code, or `authorizing`, when the user is back. Called
    /// again whenever `progress` or `loginScreen` has changed.
    open func present(_ progress: LoginProgress) {
        standard.present(progress, of: self)
    }

    /// A call that this controller made has failed. By default the login screen on the terminal says why.
    open func didFail(_ error: SceneError) {
        standard.failed(error)
    }

    /// Nothing is to be shown any more, and what the library has shown is gone. What waited for the login goes on when this
    /// returns. Does nothing by itself.
    open func didEnd(_ outcome: LoginScreenOutcome) {}

    /// The terminal is given back whatever a subclass does.
    func ended(_ outcome: LoginScreenOutcome) {
        standard.close()
        didEnd(outcome)
    }

    // MARK: What it can use

    /// The navigation bar, made of what the functions above create; nil where there is none.
    public var navigationBar: NavigationBar? {
        guard loginScreen.showsNavigationBar else { return nil }
        return NavigationBar(
            backButton: shouldShowBackButton() ? createBackButton() : nil, titleItem: createTitleItem(),
            settingsButton: loginScreen.showsSettingsIcon ? createSettingsButton() : nil,
            color: loginScreen.navigationBarColor, textColor: loginScreen.navigationBarTextColor,
            font: loginScreen.navigationBarFont)
    }

    /// Ends the login; every scene that waits for it gets `Failure.loginCancelled`.
    public func cancelLogin() {
        perform { scene throws(SceneError) in try await scene.cancelLogin() }
    }

    /// Goes on with the login at another login host; `didFail` tells of a refusal.
    public func selectLoginHost(url: String) {
        perform { scene throws(SceneError) in try await scene.selectLoginHost(url: url) }
    }

    /// Adds a login host of the user's, for them to select. `completion` is called when `loginScreen` has it.
    public func addLoginHost(
        url: String, label: String? = nil, completion: @escaping @MainActor @Sendable (LoginHost) -> Void = { _ in }
    ) {
        perform({ scene throws(SceneError) in try await scene.addLoginHost(url: url, label: label) }, then: completion)
    }

    /// Removes a login host of the user's. If it was the selected one, the login goes on at the first.
    public func removeLoginHost(url: String) {
        perform { scene throws(SceneError) in try await scene.removeLoginHost(url: url) }
    }

    /// What the call may have changed on the screen is there before `then`. A detached task, as one on the main actor runs
    /// in no run loop but Swift's own.
    func perform<Value: Sendable>(
        _ call: @escaping @Sendable (Scene) async throws(SceneError) -> Value,
        then: @escaping @MainActor @Sendable (Value) -> Void = { _ in }
    ) {
        let scene = scene
        Task.detached { [weak self] in
            let result = await Result.of { () throws(SceneError) in try await call(scene) }
            let screen = await Result.of { () throws(SceneError) in try await scene.loginScreen() }
            BlockQueue.add {
                scene.core.presentation.screenChanged(screen)
                switch result {
                case .success(let value): then(value)
                case .failure(let error): self?.didFail(error)
                }
            }
        }
    }
}

/// Why a controller's login screen is not to be shown any more.
public enum LoginScreenOutcome: Hashable, Sendable {
    case signedIn(Account)
    /// The call that waited for the login has failed so: cancelled, timed out, or refused.
    case failed(SceneError)
    /// The login is another scene's to present now, or waits for something else than its login screen. Should it become
    /// this scene's again, a new controller is created.
    case elsewhere
}
