/// An authorization server that a user can sign in at.
public struct LoginHost: Hashable, Sendable {
    public enum Origin: String, CaseIterable, Hashable, Sendable {
        /// Set by the administrator.
        case managed
        /// Set by the app.
        case app
        /// Added by the user.
        case user
    }

    /// https address, or http on a loopback address.
    public var url: String
    public var label: String
    public var origin: Origin
    public var selected: Bool
    public var removable: Bool

    public init(
        url: String = "", label: String = "", origin: Origin = .app, selected: Bool = false, removable: Bool = false
    ) {
        self.url = url
        self.label = label
        self.origin = origin
        self.selected = selected
        self.removable = removable
    }
}

/// How the login screen looks; set by the app's configuration.
public struct LoginScreen: Hashable, Sendable {
    public var title = "Log In"
    public var showsNavigationBar = true
    public var showsSettingsIcon = true
    public var showsBackButton = false
    /// What it does now, where it is shown: `cancel` ends the login, `identityProvider` has the app's identity provider
    /// asked again; else an address to open once the login is cancelled.
    public var backButtonAction: String?
    public var navigationBarColor: String?
    public var navigationBarTextColor: String?
    public var navigationBarFont: String?
    public var logo: String?
    public var styleSheet: String?
    public var settingsIcon: String?
    public var loginHosts: [LoginHost] = []
    public var canAddLoginHost = false

    public init() {}

    /// Whether the settings icon leads anywhere: to other login hosts than the selected one, or to where one is added.
    public var offersLoginHosts: Bool {
        showsNavigationBar && showsSettingsIcon && (canAddLoginHost || loginHosts.count > 1)
    }
}
