import SceneModel

/// The bar at the top of a login screen. A program may put things of its own in the place of each.
package struct NavigationBar: Hashable, Sendable {
    package struct Button: Hashable, Sendable {
        package var title: String

        package init(_ title: String) { self.title = title }
    }

    /// Leads back to the program; nil where there is nothing to go back to.
    package var back: Button?
    package var title: String
    /// Leads to the login hosts; nil where the app hides them.
    package var settings: Button?

    package init(back: Button? = nil, title: String = "", settings: Button? = nil) {
        self.back = back
        self.title = title
        self.settings = settings
    }

    /// As the app's configuration has it.
    package init(of screen: LoginScreen) {
        self.init(
            back: screen.showsBackButton ? Button("Back") : nil, title: screen.title,
            settings: screen.showsSettingsIcon ? Button("Login hosts") : nil)
    }
}
