import Foundation
import SceneModel
import SceneProtocol
import Testing
import Varlink
import TestSupport

@testable import SceneCommands

/// A method that only tests call.
enum Go: WireMethod {
    static let name = "go"
    typealias Parameters = Empty
    typealias Reply = Empty
}

@Suite(.timeLimit(.minutes(1))) struct DaemonConnectionTests {
    private static let verbs = [
        ["status"], ["scenes"], ["accounts"], ["login"], ["logout"], ["switch", "x"], ["token"], ["watch"], ["apps"],
        ["reload"], ["watch", "--all"],
    ]

    @Test(arguments: verbs)
    func everyVerbTellsThatNoDaemonIsThere(_ words: [String]) throws {
        let outcome = try scenectl(words, socket: "/nowhere/session")
        #expect(outcome.code == 69 && outcome.output == "")
        #expect(
            outcome.errors
                == "scenectl: scened is not running at /nowhere/session. Try: scened --socket /nowhere/session\n")
    }

    @Test(arguments: [
        ("/etc/passwd", 69, "/etc/passwd is no socket."), ("/etc", 69, "/etc is no socket."),
        ("/etc/passwd/x", 69, "scened is not running at /etc/passwd/x."),
        ("/" + String(repeating: "x", count: 200), 69, "File name too long"),
        ("/a\u{1b}[2J", 69, "scened is not running at /a\\x1b[2J."),
    ])
    func aWrongSocketIsTold(_ path: String, _ code: Int32, _ text: String) throws {
        let outcome = try scenectl(["status", "--socket", path])
        #expect(outcome.code == code && outcome.errors.contains(text))
    }

    @Test(arguments: verbs)
    func aDaemonThatClosesIsTold(_ words: [String]) throws {
        let daemon = try FakeDaemon([:] as [String: [FakeDaemon.Step]])
        let outcome = try scenectl(words + ["--app", "notes"], socket: daemon.path)
        #expect(outcome.code == 69 && outcome.errors.contains("closed the connection"))
    }

    @Test func aBacklogWithoutAnyoneIsTold() throws {
        let daemon = try FakeDaemon([:] as [String: [FakeDaemon.Step]])
        daemon.stop()
        let outcome = try scenectl(["status"], socket: daemon.path)
        #expect(outcome.code == 69)
    }

    @Test(arguments: [
        "garbage", "[]", "{\"parameters\":[]}", "{", "{\"error\":1}", "{\"parameters\":{\"version\":1}}", "{}",
        "{\"a\":1,\"a\":2}", "\u{0}", String(repeating: "[", count: 5000),
    ])
    func garbageIsTold(_ text: String) throws {
        let daemon = try FakeDaemon([GetStatus.name: [.text(text), .close]])
        let outcome = try scenectl(["status"], socket: daemon.path)
        #expect(outcome.code == 69 && outcome.output == "")
        #expect(outcome.errors.contains("does not speak as scened does"))
    }

    @Test func anAnswerInPiecesIsOneAnswer() throws {
        let bytes = VarlinkMessage.reply(ListApps.Reply(apps: [Fixture.app("notes")]))
        let daemon = try FakeDaemon([ListApps.name: bytes.map { .send([$0]) }])
        #expect(try scenectl(["apps"], socket: daemon.path).code == 0)
    }

    @Test func aSilentDaemonIsGivenUp() throws {
        let daemon = try FakeDaemon([GetStatus.name: [.hang]])
        let connection = try DaemonConnection(
            to: SocketPath(option: daemon.path, environment: [:]), refusal: Refusal(appOption: "", helpLine: ""),
            patience: .milliseconds(100))
        #expect {
            try connection.call(GetStatus.self, .init())
        } throws: { error in
            (error as? CommandFailure)?.exitCode == .tryAgain && "\(error)".contains("does not answer")
        }
    }
}
