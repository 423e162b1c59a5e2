import Foundation
import SceneModel
import SceneProtocol
import Testing
import Varlink
import TestSupport

@testable import SceneCommands

@Suite(.timeLimit(.minutes(1))) struct WatchVerbTests {
    private let watch = ["watch", "--app", "notes"]

    /// The output without the time of day that each line begins with.
    private func lines(_ outcome: Program.Outcome) -> [String] {
        outcome.output.split(separator: "\n").map { line in
            #expect(line.prefix(10).map { $0.isNumber ? "9" : $0 } == Array("99:99:99  "))
            return String(line.dropFirst(10))
        }
    }

    @Test func eachEventIsALineUntilTheDaemonGoes() throws {
        let daemon = try FakeDaemon([
            ConnectScene.name: [
                Fixture.snapshot, Fixture.event(.loggedIn) { $0.account = Fixture.ada },
                .text(
                    #"{"parameters":{"event":{"kind":"brandNew","at":{"epoch":"e","sequence":9}}},"continues":true}"#),
                Fixture.event(.locked), .close,
            ]
        ])
        let outcome = try scenectl(watch, socket: daemon.path)
        #expect(
            lines(outcome) == [
                "snapshot            scene w1, current user nobody, 0 accounts",
                "loggedIn            Ada Lovelace (ada)", "brandNew", "locked",
            ])
        #expect(outcome.code == 69)
        #expect(outcome.errors.hasPrefix("scenectl: scened at \(daemon.path) closed the connection. Try: "))
        #expect(
            daemon.calls(of: ConnectScene.name).map(\.parameters)
                == [#"{"app":"notes","title":"scenectl watch"}"#])
    }

    @Test func jsonPassesEventsOn() throws {
        let event = #"{"event":{"kind":"brandNew","at":{"epoch":"e","sequence":9},"new":[1,{"x":null}]}}"#
        let daemon = try FakeDaemon([
            ConnectScene.name: [.text("{\"parameters\":\(event),\"continues\":true}"), .close]
        ])
        #expect(try scenectl(watch + ["--json"], socket: daemon.path).output == event + "\n")
    }

    @Test func controlCIsTheWayToEnd() throws {
        let daemon = try FakeDaemon([ConnectScene.name: [Fixture.snapshot, .hang]])
        let program = try Program(watch, socket: daemon.path)
        program.waitFor("snapshot")
        program.interrupt()
        let outcome = program.finish()
        #expect(outcome.code == 0 && outcome.errors == "")
        daemon.waitForClose()
    }

    @Test func allFollowsEveryApp() throws {
        let reply = Monitor.Reply(app: "mail", uid: 1000, event: Event(.unlocked, at: Fixture.at))
        let daemon = try FakeDaemon([Monitor.name: [.reply(reply, continues: true), .close]])
        let outcome = try scenectl(["watch", "--all"], socket: daemon.path)
        #expect(lines(outcome) == ["mail 1000         unlocked"])
        #expect(outcome.code == 69 && daemon.calls(of: Monitor.name).map(\.parameters) == ["{}"])
    }

    @Test func endsWhenNobodyReads() throws {
        let daemon = try FakeDaemon([ConnectScene.name: [Fixture.snapshot, .hang]])
        let program = try Program(watch, socket: daemon.path)
        program.waitFor("snapshot")
        program.closeOutput()
        #expect(program.finish().code == 128 + SIGPIPE)
    }

    @Test func anErrorEndsTheStream() throws {
        let daemon = try FakeDaemon([
            ConnectScene.name: [Fixture.snapshot, .send(Failure.unknownApp("notes").message)]
        ])
        let outcome = try scenectl(watch, socket: daemon.path)
        #expect(outcome.code == 78 && outcome.errors.hasPrefix("scenectl: No app 'notes' is configured."))
    }
}
