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
        var sessions: [SessionOverview] = []
        var unavailable: CommandFailure?
        for app in apps.reply.apps where context.namedApp.map({ $0 == app.name }) ?? true {
            do throws(CommandFailure) {
                sessions.append(try SessionOverview(of: app.name, on: connection))
            } catch {
                // What is wrong with the store stands in the status, which is to be seen all the more.
                guard error.exitCode == .tryAgain else { throw error }
                unavailable = error
            }
        }
        if let app = context.namedApp, sessions.isEmpty, unavailable == nil {
            throw context.refusal.describe(.unknownApp(app))
        }

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
                StatusText(status: status.reply).lines(terminal) + block(SessionOverview.table(sessions), terminal)
                    + block(revocationTable(revocations.reply.revocations), terminal))
        }
        if let unavailable { throw CommandFailure(unavailable.exitCode, unavailable.problem) }
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
                .init(entry.app), .init(entry.loginHost.withoutScheme), .init(entry.reason),
                .init(String(entry.attempts)),
                .init("in " + Elapsed.text(seconds: entry.nextAttemptSeconds)))
        }
        return table
    }
}
