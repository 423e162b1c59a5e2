import SceneModel
import SceneProtocol
import TestSupport
import Testing

@testable import SceneSession

/// A window of an identity provider app.
@Suite(.timeLimit(.minutes(1))) struct AuthorizationTests {
    private static func asks(_ sequence: Int, _ request: String, scene: String) -> FakeDaemon.Step {
        var event = Event(.authorizationRequested, at: Fixture.at(sequence))
        event.request = request
        event.requestingApp = "mail"
        event.presenter = scene
        return .event(event)
    }

    @Test func onlyTheSceneThatIsAskedAsks() async throws {
        let gate = Gate()
        let daemon = try FakeDaemon([
            connectScene: [
                Fixture.snapshot(1), .awaitGate(gate), Self.asks(2, "r1", scene: "w2"), Self.asks(3, "r2", scene: "w1"),
            ],
            listAccounts: [Fixture.accounts(3)],
        ])
        let scene = try await daemon.scene()
        let tally = Tally()
        AuthHelper.registerBlock(forAuthorizationRequests: scene) { event in
            tally.add("\(event.request ?? "") of \(event.requestingApp ?? "")")
        }
        gate.open()
        _ = try await scene.accounts()
        await blocksHaveRun()
        #expect(tally.entries == ["r2 of mail"])
    }

    @Test func theLoginScreenIsOpenedWhereTheAppLikes() async throws {
        let page = AuthorizeApp.Reply(loginScreen: "http://127.0.0.1:1/x", authorizationUri: "https://h/a")
        let daemon = try FakeDaemon([
            connectScene: [Fixture.snapshot(1)],
            AuthorizeApp.name: [.reply(page)],
        ])
        let scene = try await daemon.scene()
        let tally = Tally()
        try await scene.approve("r1", as: Fixture.ada) { tally.add($0) }
        try await scene.beginLogin(of: "mail", as: Fixture.bob) { tally.add($0) }
        try await scene.deny("r2", code: "c", description: "d")
        await blocksHaveRun()
        #expect(tally.entries == ["http://127.0.0.1:1/x", "http://127.0.0.1:1/x"])
        #expect(
            daemon.calls(of: AuthorizeApp.name).map(\.parameters) == [
                #"{"app":"notes","scene":"w1","request":"r1","decision":"approve","account":"a1"}"#,
                #"{"app":"notes","scene":"w1","requestingApp":"mail","decision":"approve","account":"b2"}"#,
                #"{"app":"notes","scene":"w1","request":"r2","decision":"deny","code":"c","description":"d"}"#,
            ])
    }

    /// One that talks through URLs: the login host is opened, or the app is told.
    @Test(arguments: [
        (AuthorizeApp.Reply(authorizationUri: "https://h/a"), ["https://h/a"]),
        (AuthorizeApp.Reply(message: "com.example.mail:/idp/error?error=x"), []),
    ])
    func anAppElsewhereIsAnswered(reply: AuthorizeApp.Reply, opened: [String]) async throws {
        let daemon = try FakeDaemon([connectScene: [Fixture.snapshot(1)], AuthorizeApp.name: [.reply(reply)]])
        let scene = try await daemon.scene()
        let tally = Tally()
        try await scene.approve("r1", as: Fixture.ada) { tally.add($0) }
        await blocksHaveRun()
        #expect(tally.entries == opened)
    }

    @Test func whatWaitsIsListed() async throws {
        let request = AuthorizationRequest(request: "r1", requestingApp: "mail", presenter: "w1", expiresInSeconds: 9)
        let daemon = try FakeDaemon([
            connectScene: [Fixture.snapshot(1)],
            ListAuthorizations.name: [.reply(ListAuthorizations.Reply(requests: [request]))],
            AuthorizeApp.name: [.failure(.unknownRequest("r1"))],
        ])
        let scene = try await daemon.scene()
        #expect(try await scene.authorizationRequests() == [request])
        await #expect(throws: SceneError.failure(.unknownRequest("r1"))) {
            try await scene.approve("r1", as: Fixture.ada)
        }
    }
}
