import SceneModel

/// How this process shows login screens: the Mobile SDK's settings, with its defaults.
///
/// What is set here goes before what the app's configuration says (`[LoginScreen]` in `apps.d/NAME.conf`), but where that
/// hides something: a process can hide more, and shows nothing that is hidden there. It concerns what the process
/// presents itself, in a terminal or by a `LoginScreenController` of its own; the page in the browser is scened's, and
/// looks as the app's configuration has it.
public struct LoginScreenConfiguration: Hashable, Sendable {
    public struct Font: Hashable, Sendable {
        /// As in CSS: `Helvetica`, or several, with commas.
        public var family: String
        /// In pixels.
        public var size: Int

        public init(family: String, size: Int) {
            self.family = family
            self.size = size
        }
    }

    /// Whether there is a navigation bar. Without it there is no settings icon and no back button either.
    public var showsNavigationBar = true
    /// Whether there is a settings icon, by which the user gets to the login hosts. Without it they can neither be chosen
    /// nor added.
    public var showsSettingsIcon = true
    /// A CSS colour: a name, `#rrggbb`, `rgb()` or `hsl()`. Nil: the app's configuration says.
    public var navigationBarColor: String?
    /// Of title and buttons, likewise.
    public var navigationBarTextColor: String?
    /// For a controller that draws letters itself: a terminal has its own.
    public var navigationBarFont: Font?
    /// Nil: the app's configuration says, and by default `Log In`.
    public var title: String?
    /// Nil: the app's configuration says, and by default there is one where there is a current user to go back to.
    public var showsBackButton: Bool?
    /// Whether a login screen without a browser may take the whole terminal. It is taken for the time of the login only,
    /// and only if the program runs in the foreground of it, has standard input and output there, and reads lines: one
    /// that has switched echo or line mode off draws on it itself. Have this off, too, where the program reads standard
    /// input while a login is under way. Then the address, or the code, is written to standard error.
    public var presentsInTerminal = true

    public init() {}
}

extension LoginScreenConfiguration {
    /// The login screen as it is to be shown by this process.
    func applied(to screen: LoginScreen) -> LoginScreen {
        var shown = screen
        shown.showsNavigationBar = screen.showsNavigationBar && showsNavigationBar
        shown.showsSettingsIcon = screen.showsSettingsIcon && showsSettingsIcon && shown.showsNavigationBar
        shown.canAddLoginHost = screen.canAddLoginHost && shown.showsSettingsIcon
        shown.showsBackButton = (showsBackButton ?? screen.showsBackButton) && shown.showsNavigationBar
        shown.title = title ?? screen.title
        shown.navigationBarColor = navigationBarColor ?? screen.navigationBarColor
        shown.navigationBarTextColor = navigationBarTextColor ?? screen.navigationBarTextColor
        shown.navigationBarFont = navigationBarFont.map { "\($0.family) \($0.size)" } ?? screen.navigationBarFont
        return shown
    }
}

/// Makes the controller that presents a login of the scene: a new one each time.
public typealias LoginScreenCreationBlock = @MainActor @Sendable (Scene) -> LoginScreenController

extension Scene {
    /// How this scene shows login screens; nil: as `UserAccountManager.shared.loginScreenConfiguration` has it.
    public var loginScreenConfiguration: LoginScreenConfiguration? {
        get { core.state.withLock(\.loginScreenConfiguration) }
        set { core.state.withLock { $0.loginScreenConfiguration = newValue } }
    }

    /// Presents this scene's logins in its own way; nil: as `UserAccountManager.shared.loginScreenCreationBlock` does. A
    /// block that refers to the scene keeps it alive: use the one that it is given.
    public var loginScreenCreationBlock: LoginScreenCreationBlock? {
        get { core.state.withLock(\.loginScreenCreationBlock) }
        set { core.state.withLock { $0.loginScreenCreationBlock = newValue } }
    }
}

extension UserAccountManager {
    /// How the scenes of this process show login screens, but those with a configuration of their own.
    public var loginScreenConfiguration: LoginScreenConfiguration {
        get { SceneSession.settings.withLock(\.loginScreenConfiguration) }
        set { SceneSession.settings.withLock { $0.loginScreenConfiguration = newValue } }
    }

    /// Presents the logins of this process in its own way, where the scene has no such block. Nil: as
    /// `LoginScreenController` does.
    public var loginScreenCreationBlock: LoginScreenCreationBlock? {
        get { SceneSession.settings.withLock(\.loginScreenCreationBlock) }
        set { SceneSession.settings.withLock { $0.loginScreenCreationBlock = newValue } }
    }
}

extension SceneCore {
    var shownConfiguration: LoginScreenConfiguration {
        state.withLock(\.loginScreenConfiguration)
            ?? SceneSession.settings.withLock(\.loginScreenConfiguration)
    }

    @MainActor func makeController(for scene: Scene) -> LoginScreenController {
        let block =
            state.withLock(\.loginScreenCreationBlock) ?? SceneSession.settings.withLock(\.loginScreenCreationBlock)
        return block?(scene) ?? LoginScreenController(scene: scene)
    }
}
