import SceneModel

/// What the login screen shows at the time when it is asked for.
package struct LoginScreenContent: Sendable {
    /// With the session's login hosts, and the back button as it is to be shown now.
    package var screen: LoginScreen
    package var appearance: Appearance
    package var appName: String
    /// The address of the login host that this login is at.
    package var host: String
    package var accountName: String

    package init(
        screen: LoginScreen = LoginScreen(), appearance: Appearance = Appearance(), appName: String = "",
        host: String = "", accountName: String = ""
    ) {
        self.screen = screen
        self.appearance = appearance
        self.appName = appName
        self.host = host
        self.accountName = accountName
    }

    var hostLabel: String { screen.loginHosts.first { $0.url == host }?.label ?? host }

    /// The app's; where it has none of its own, the reader's language has one.
    func title(_ messages: Messages) -> String {
        screen.title == LoginScreen().title ? messages["screen.title"] : screen.title
    }
}
