import Glibc
import SceneModel
import SceneProtocol
import TestSupport
import Testing

@testable import SceneCommands

/// Other apps are answered, each answer for the scene that is asked.
@Suite(.timeLimit(.minutes(1))) struct AuthorizeVerbTests {
    private static func request(_ id: String, _ app: String) -> AuthorizationRequest {
        AuthorizationRequest(
            request: id, requestingApp: app, loginHosts: ["https://login.example.com"], presenter: "w-\(id)",
            expiresInSeconds: 299)
    }

    private let page = AuthorizeApp.Reply(loginScreen: "http://127.0.0.1:4711/k3y", authorizationUri: nil)

    private func daemon(
        _ requests: [AuthorizationRequest] = [request("r1", "mail")], answer: AuthorizeApp.Reply? = nil,
        scenes: [SceneInfo] = []
    ) throws -> FakeDaemon {
        try FakeDaemon([
            ListAuthorizations.name: [.reply(ListAuthorizations.Reply(requests: requests))],
            ListAccounts.name: [Fixture.accounts([Fixture.ada, Fixture.bob], current: Fixture.ada)],
            ListScenes.name: [.reply(ListScenes.Reply(scenes: scenes))],
            AuthorizeApp.name: [.reply(answer ?? page)],
        ])
    }

    private func run(_ words: [String], _ daemon: FakeDaemon) throws -> Program.Outcome {
        try scenectl(["authorize", "--app", "notes"] + words, socket: daemon.path)
    }

    private func calls(_ daemon: FakeDaemon) -> [String?] { daemon.calls(of: AuthorizeApp.name).map(\.parameters) }

    @Test func whoAsksIsListed() throws {
        let daemon = try daemon()
        let outcome = try run([], daemon)
        #expect(outcome.output.contains("r1") && outcome.output.contains("mail") && outcome.output.contains("in 4 min"))
        #expect(outcome.code == 0 && calls(daemon).isEmpty)
        #expect(try run([], self.daemon([])).output == "No app asks.\n")
    }

    @Test func theOneThatAsksIsAnswered() throws {
        let daemon = try daemon()
        let outcome = try run(["bob"], daemon)
        #expect(
            calls(daemon) == [
                #"{"app":"notes","scene":"w-r1","request":"r1","decision":"approve","account":"b2"}"#
            ])
        #expect(
            outcome.output == "To go on, open this address in your browser:\n  http://127.0.0.1:4711/k3y\n")
        #expect(outcome.code == 0)
    }

    @Test func aDenialMaySayWhy() throws {
        let daemon = try daemon(answer: AuthorizeApp.Reply())
        let outcome = try run(["--deny", "--code", "too_late", "--reason", "Closed."], daemon)
        #expect(
            calls(daemon) == [
                #"{"app":"notes","scene":"w-r1","request":"r1","decision":"deny","code":"too_late","#
                    + #""description":"Closed."}"#
            ])
        #expect(outcome.output == "Denied.\n")
    }

    @Test func anAppElsewhereIsToldByAURL() throws {
        let message = "com.example.mail:/idp/error?error=access_denied"
        let denied = try run(["--deny"], daemon(answer: AuthorizeApp.Reply(message: message)))
        #expect(denied.output == "Denied.\nTo tell the other app, open this address on its desktop:\n  \(message)\n")
        let approved = try run(["bob"], daemon(answer: AuthorizeApp.Reply(authorizationUri: "https://h/a")))
        #expect(approved.output == "To go on, open this address in your browser:\n  https://h/a\n")
        #expect(denied.code == 0 && approved.code == 0)
    }

    @Test func severalHaveToBeToldApart() throws {
        let requests = [Self.request("r1", "mail"), Self.request("r2", "maps")]
        let daemon = try daemon(requests)
        let outcome = try run(["bob"], daemon)
        #expect(outcome.code == 64 && calls(daemon).isEmpty)
        #expect(outcome.errors.contains("Several apps ask (r1: mail, r2: maps)"))
        _ = try run(["bob", "--request", "r2"], daemon)
        #expect(calls(daemon).count == 1 && calls(daemon).first??.contains(#""scene":"w-r2","request":"r2""#) == true)
        let unknown = try run(["--deny", "--request", "r9"], daemon)
        #expect(unknown.code == 1 && unknown.errors.contains("r9"))
    }

    @Test func aLoginIsBegunAsAnOwnScene() throws {
        var other = SceneInfo()
        other.uid = Int(geteuid()) + 1
        other.id = "theirs"
        var own = SceneInfo()
        own.uid = Int(geteuid())
        own.id = "ours"
        let daemon = try daemon([], scenes: [other, own])
        #expect(try run(["--for", "mail", "ada"], daemon).code == 0)
        #expect(
            calls(daemon) == [
                #"{"app":"notes","scene":"ours","requestingApp":"mail","decision":"approve","account":"a1"}"#
            ])
        let nobody = try run(["--for", "mail", "ada"], self.daemon([], scenes: [other]))
        #expect(nobody.code == 1 && nobody.errors.contains("No scene of notes is connected"))
    }

    @Test(arguments: [
        ["--deny", "ada"], ["--for", "mail"], ["--deny", "--for", "mail"], ["ada", "--code", "c"], ["--reason", "r"],
    ])
    func whatContradictsItselfIsRefused(words: [String]) throws {
        let daemon = try daemon()
        #expect(try run(words, daemon).code == 64)
        #expect(calls(daemon).isEmpty)
    }

    @Test func withoutARequestThereIsNothingToAnswer() throws {
        let outcome = try run(["ada"], daemon([]))
        #expect(outcome.code == 1 && outcome.errors.contains("No app asks to sign in through notes"))
    }
}
