import CommandLine
import SceneModel

/// An event in a few words, beside its kind.
struct EventText {
    private let event: Event

    init(_ event: Event) {
        self.event = event
    }

    var text: String {
        switch event.kind {
        case .snapshot, .resumed: snapshot
        case .currentUserChanged:
            name(event.current) + (event.previous == nil ? "" : ", was \(name(event.previous))")
        case .loggedIn: name(event.account)
        case .loggedOut, .loginRequired: (event.account.map(\.label) ?? "") + reason
        case .accountChanged: name(event.account) + (event.account.map { " is now \($0.state.rawValue)" } ?? "")
        case .selectionRequired:
            "choose one of " + (event.accounts ?? []).map(\.label).joined(separator: ", ")
        case .loginStarted: event.presenter.map { "shown by scene \(Inert.text($0))" } ?? ""
        case .loginEnded: event.reason.map { Inert.text($0) } ?? ""
        case .loginHostChanged:
            Inert.text(event.loginHost ?? "") + (event.previousLoginHost.map { ", was " + Inert.text($0) } ?? "")
        case .locked, .unlocked: event.reason.map { "by the \(Inert.text($0))" } ?? ""
        case .authorizationEnded:
            requestingApp + (event.reason.map { ": " + Inert.text($0) } ?? "")
        case .authorizationRequested: requestingApp
        }
    }

    private var requestingApp: String { event.requestingApp.map { "by \(Inert.text($0))" } ?? "" }

    private var snapshot: String {
        var parts = event.scene.map { ["scene " + Inert.text($0)] } ?? []
        if event.gap == true { parts.append("some history is lost") }
        guard let snapshot = event.snapshot else { return parts.joined(separator: ", ") }
        parts.append("current user " + name(snapshot.current))
        parts.append("\(snapshot.accounts.count) account" + (snapshot.accounts.count == 1 ? "" : "s"))
        if snapshot.pending != .nothing { parts.append("\(snapshot.pending.rawValue) pending") }
        if snapshot.loginUnderWay { parts.append("login under way") }
        if snapshot.locked { parts.append("locked") }
        return parts.joined(separator: ", ")
    }

    private var reason: String {
        guard let reason = event.reason else { return "" }
        return (event.account == nil ? "" : ": ") + Inert.text(reason)
    }

    private func name(_ account: Account?) -> String { account?.label ?? "nobody" }
}
