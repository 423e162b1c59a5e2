import CommandLine
import SceneModel
import SceneProtocol
import Varlink

/// The service as a whole, and who is signed in.
enum StatusVerb: Verb {
    static let command = Command(
        "status", summary: "Show how scened is, and who is signed in",
        examples: [.init("scenectl status", "Version, scenes, accounts, problems, and who is current in each app")])

    static func run(_ context: Context) throws(CommandFailure) {
        let connection = try context.connect()
        let status = try connection.call(GetStatus.self, .init())
        let apps = try connection.call(ListApps.self, .init())
        let revocations = try connection.call(ListRevocations.self, .init())
        var sessions: [Session] = []
        for app in apps.reply.apps where context.namedApp.map({ $0 == app.name }) ?? true {
            sessions.append(try Session(of: app.name, on: connection))
        }
        if let app = context.namedApp, sessions.isEmpty { throw context.refusal.describe(.unknownApp(app)) }

        if context.wantsJSON {
            let parts = [
                ("status", status.json), ("apps", apps.json["apps"]), ("revocations", revocations.json["revocations"]),
            ]
            try context.output.json { writer in
                writer.beginObject()
                for case (let name, let json?) in parts {
                    writer.key(name)
                    writer.compact(json)
                }
                writer.key("sessions")
                writer.beginArray()
                for session in sessions { session.write(to: &writer) }
                writer.endArray()
                writer.endObject()
            }
        } else {
            let terminal = context.output.terminal
            try context.output.lines(
                StatusText(status: status.reply).lines(terminal) + block(Session.table(sessions), terminal)
                    + block(revocationTable(revocations.reply.revocations), terminal))
        }
    }

    private static func block(_ table: Table, _ terminal: Terminal) -> [String] {
        table.rows.isEmpty ? [] : [""] + table.lines(for: terminal)
    }

    private static func revocationTable(_ revocations: [RevocationInfo]) -> Table {
        var table = Table([
            .init("APP"), .init("TO BE REVOKED AT", shortens: true), .init("REASON", shortens: true),
            .init("TRIES", isNumber: true), .init("NEXT TRY"),
        ])
        for entry in revocations {
            table.add(
                .init(entry.app), .init(entry.loginHost.withoutScheme), .init(entry.reason), .init(String(entry.attempts)),
                .init("in " + Elapsed.text(seconds: entry.nextAttemptSeconds)))
        }
        return table
    }
}

/// One app's session, as far as the caller may see it.
private struct Session {
    var app: String
    var answer: Result<Answer<ListAccounts.Reply>, CommandFailure>

    /// A refusal is something to show; a daemon that went away is not.
    init(of app: String, on connection: DaemonConnection) throws(CommandFailure) {
        self.app = app
        do {
            answer = .success(try connection.call(ListAccounts.self, .init(app: app)))
        } catch {
            if error.exitCode == .noDaemon || error.exitCode == .tryAgain { throw error }
            answer = .failure(error)
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("app")
        writer.string(app)
        switch answer {
        case .success(let answer):
            for (name, value) in answer.json.members ?? [] where name != "app" {
                writer.key(name)
                writer.compact(value)
            }
        case .failure(let failure):
            writer.key("error")
            writer.string(failure.problem)
        }
        writer.endObject()
    }

    static func table(_ sessions: [Session]) -> Table {
        var table = Table([
            .init("APP"), .init("CURRENT USER", shortens: true), .init("STATE", shortens: true),
            .init("ACCOUNTS", isNumber: true),
        ])
        for session in sessions {
            switch session.answer {
            case .success(let answer):
                let current = answer.reply.current
                table.add(
                    .init(session.app), current.map { .init($0.label) } ?? .init("nobody", .faint),
                    current.map { $0.state.cell } ?? "", .init(String(answer.reply.accounts.count)))
            case .failure(let failure):
                table.add(.init(session.app), "", .init(failure.problem, .bad), "")
            }
        }
        return table
    }
}

/// GetStatus for people.
struct StatusText {
    var status: ServiceStatus

    func lines(_ terminal: Terminal) -> [String] {
        let restored = status.restoredScenes > 0 ? " (\(status.restoredScenes) kept through the last restart)" : ""
        let entries = [
            ("Scenes", "\(status.scenes)\(restored)"),
            ("Accounts", "\(status.accounts) in \(counted(status.sessions, "session"))"),
            ("Logins", "\(status.logins) under way"),
            ("Storage", Inert.text(status.storage)),
            ("Sealing key", "from a \(Inert.text(status.keySource))"),
        ]
        let title = "scened \(Inert.text(status.version)), running for \(Elapsed.text(seconds: status.uptimeSeconds))"
        return [terminal.styled(title, .heading)]
            + entries.map { "  " + $0.0.padded(to: 12) + "  " + $0.1 }
            + status.problems.map { "  " + terminal.styled("Problem".padded(to: 12), .bad) + "  " + Inert.text($0) }
    }

    private func counted(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)" + (number == 1 ? "" : "s")
    }
}
