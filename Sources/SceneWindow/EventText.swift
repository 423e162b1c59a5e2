import CommandLine
import SceneSession

/// An event in a few words, for people.
struct EventText {
    let event: Event
    /// The identifier of this window's scene.
    let scene: String

    var text: String {
        switch event.kind {
        case .snapshot: event.gap == true ? "some history is lost; up to date again" : "connected"
        case .resumed: "connected again"
        case .currentUserChanged:
            "current user \(name(event.current))" + (event.previous == nil ? "" : ", was \(name(event.previous))")
        case .loggedIn: "\(name(event.account)) signed in"
        case .loggedOut: "\(name(event.account)) signed out\(reason)"
        case .accountChanged: "\(name(event.account)): \(event.account?.state.text ?? "changed")"
        case .selectionRequired: "an account is to be chosen"
        case .loginRequired: event.account.map { "\($0.name) has to sign in again\(reason)" } ?? "sign-in required"
        case .loginStarted: "login started by \(SceneText.name(event.presenter, own: scene))"
        case .loginEnded: "login ended" + (event.reason.map { ": " + Inert.text($0) } ?? "")
        case .loginHostChanged: "login host \(Inert.text(event.loginHost ?? ""))"
        case .locked: "locked"
        case .unlocked: "unlocked"
        case .authorizationEnded:
            "\(Inert.text(event.requestingApp?.appInSentence ?? "an app"))'s sign-in: \(Inert.text(event.reason ?? "ended"))"
        case .authorizationRequested: "\(Inert.text(event.requestingApp?.appInSentence ?? "an app")) asks for a sign-in"
        }
    }

    /// Where it says more than the event does.
    private var reason: String {
        event.reason.flatMap { $0 == "signedOut" ? nil : " (\(Inert.text($0)))" } ?? ""
    }

    private func name(_ account: Account?) -> String { account?.name ?? "nobody" }
}

enum SceneText {
    /// Enough of an identifier to tell scenes apart.
    static func short(_ id: String) -> String { Inert.text(String(id.prefix(8))) }

    static func name(_ id: String?, own: String) -> String {
        guard let id else { return "a program without a window" }
        return id == own ? "this scene" : "scene \(short(id))"
    }
}
