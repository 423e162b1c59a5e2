import SceneModel

/// What the login screen shows while the login host's address is being asked for. The whole screen, with its bar and
/// its list of login hosts, takes this place.
struct LoginScreenPage {
    let screen: LoginScreen
    let hostLabel: String

    var preparing: Page {
        Page(
            title: screen.title,
            paragraphs: [HTML("Preparing to sign in at \(HTML.isolated(hostLabel).markup)…")], refreshSeconds: 1)
    }

    var completing: Page {
        Page(
            title: screen.title,
            paragraphs: [HTML("You are back from the login host; the sign-in is being completed."), .closeWindow])
    }
}
