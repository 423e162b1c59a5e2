import SceneModel
import SceneProtocol
import TestSupport

@testable import SceneCommands

enum Fixture {
    static let ada = Account(
        id: "a1", issuer: "https://login.example.com", subject: "s1", loginHost: "https://login.example.com",
        username: "ada", displayName: "Ada Lovelace", email: "ada@example.com")
    static let bob = Account(
        id: "b2", issuer: "https://login.example.com", subject: "s2", loginHost: "https://login.example.com",
        username: "bob", email: "bob@example.com", state: .degraded)
    /// Somebody whose login host tells nothing but a subject, in an alphabet of wide letters.
    static let wide = Account(
        id: "c3", issuer: "https://test.example.com", subject: "東京", loginHost: "https://test.example.com",
        state: .loginRequired)

    static let at = Cursor(epoch: "e", sequence: 7)

    static func app(_ name: String, problems: [String] = []) -> AppInfo {
        var app = AppInfo()
        app.name = name
        app.displayName = name.capitalized
        app.source = "/etc/scened/apps.d/\(name).conf"
        app.problems = problems
        return app
    }

    static func accounts(_ accounts: [Account], current: Account?) -> FakeDaemon.Step {
        .reply(ListAccounts.Reply(accounts: accounts, current: current, at: at))
    }

    static func apps(_ apps: AppInfo...) -> FakeDaemon.Step { .reply(ListApps.Reply(apps: apps)) }

    static func progress(
        _ state: LoginProgress.State, continues: Bool = true, _ change: (inout LoginProgress) -> Void = { _ in }
    ) -> FakeDaemon.Step {
        var progress = LoginProgress(state)
        change(&progress)
        return .reply(Login.Reply(progress: progress), continues: continues)
    }

    static let signedIn = progress(.signedIn, continues: false) {
        $0.account = ada
        $0.at = at
    }

    static let presenting = progress(.presenting) {
        $0.loginScreen = "http://127.0.0.1:4711/k3y"
        $0.authorizationUri = "https://login.example.com/authorize?state=s"
    }

    static func event(_ kind: Event.Kind, _ change: (inout Event) -> Void = { _ in }) -> FakeDaemon.Step {
        var event = Event(kind, at: at)
        change(&event)
        return .reply(ConnectScene.Reply(event: event), continues: true)
    }

    static let snapshot = event(.snapshot) {
        $0.scene = "w1"
        $0.snapshot = Snapshot()
    }
}
