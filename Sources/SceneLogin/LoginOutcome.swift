/// How a login ended, as its browser window tells.
package enum LoginOutcome: Hashable, Sendable {
    case signedIn(name: String?)
    /// What went wrong, in words for the user.
    case failed(message: String)
    case cancelled
}

extension Page {
    init(_ outcome: LoginOutcome) {
        switch outcome {
        case .signedIn(let name):
            let signedIn = name.map { "You are signed in as \(HTML.isolated($0).markup)." } ?? "You are signed in."
            self.init(
                title: "Signed in", tone: .success, paragraphs: [HTML("\(signedIn) \(HTML.closeWindow.markup)")])
        case .failed(let message):
            self.init(
                title: "Sign-in failed", tone: .failure,
                paragraphs: [HTML.text(message), HTML("Go back to the app and try again. \(HTML.closeWindow.markup)")])
        case .cancelled:
            self.init(
                title: "Sign-in cancelled",
                paragraphs: [
                    HTML("Nobody was signed in."),
                    HTML("To sign in after all, start again from the app. \(HTML.closeWindow.markup)"),
                ])
        }
    }

    /// For a window whose login ended while it waited.
    static let ended = Page(
        title: "Sign-in ended",
        paragraphs: [
            HTML("This sign-in was ended before it was completed."),
            HTML("To sign in, start again from the app. \(HTML.closeWindow.markup)"),
        ])
}
