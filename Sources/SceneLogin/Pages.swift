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
            paragraphs: [HTML("You are back from the login host; the sign-in is being completed."), closeWindow])
    }
}

private let closeWindow = HTML("You can close this window.")

extension Page {
    init(_ outcome: LoginOutcome) {
        switch outcome {
        case .signedIn(let name):
            let signedIn = name.map { "You are signed in as \(HTML.isolated($0).markup)." } ?? "You are signed in."
            self.init(title: "Signed in", tone: .success, paragraphs: [HTML("\(signedIn) \(closeWindow.markup)")])
        case .failed(let message):
            self.init(
                title: "Sign-in failed", tone: .failure,
                paragraphs: [HTML.text(message), HTML("Go back to the app and try again. \(closeWindow.markup)")])
        case .cancelled:
            self.init(
                title: "Sign-in cancelled",
                paragraphs: [
                    HTML("Nobody was signed in."),
                    HTML("To sign in after all, start again from the app. \(closeWindow.markup)"),
                ])
        }
    }

    /// For a window whose login ended while it waited.
    static let ended = Page(
        title: "Sign-in ended",
        paragraphs: [
            HTML("This sign-in was ended before it was completed."),
            HTML("To sign in, start again from the app. \(closeWindow.markup)"),
        ])

    init(_ refusal: Refusal) {
        self.init(
            title: "This request was refused", tone: .failure,
            paragraphs: [HTML.text(refusal.explanation), HTML.text(refusal.advice)])
    }
}
