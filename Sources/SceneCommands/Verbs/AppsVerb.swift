import CommandLine
import SceneModel
import SceneProtocol

/// The configured apps, and what is wrong with them.
enum AppsVerb: Verb {
    static let command = Command(
        "apps", summary: "List the configured apps and their problems",
        examples: [.init("scenectl apps", "Names, files and problems of all apps")])

    static func run(_ context: Context) throws(CommandFailure) {
        let answer = try context.connect().call(ListApps.self, .init())
        let apps = answer.reply.apps.filter { app in context.namedApp.map { $0 == app.name } ?? true }
        if let app = context.namedApp, apps.isEmpty { throw context.refusal.describe(.unknownApp(app)) }
        if context.wantsJSON, context.namedApp == nil {
            try context.output.json(answer.json)
        } else if context.wantsJSON {
            let chosen = (answer.json["apps"]?.elements ?? []).filter { $0["name"]?.string == context.namedApp }
            try context.output.json { writer in
                writer.beginObject()
                writer.key("apps")
                writer.beginArray()
                for app in chosen { writer.compact(app) }
                writer.endArray()
                writer.endObject()
            }
        } else {
            try context.output.lines(AppTable.lines(apps, context.output.terminal))
        }
    }
}

/// Apps for people: a table, and their problems under it.
enum AppTable {
    static func lines(_ apps: [AppInfo], _ terminal: Terminal) -> [String] {
        guard !apps.isEmpty else { return ["No app is configured."] }
        var table = Table([
            .init("APP"), .init("NAME", shortens: true), .init("PROBLEMS", isNumber: true), .init("SOURCE"),
        ])
        for app in apps {
            let count = app.problems.count
            table.add(
                .init(app.name), .init(app.displayName), .init(String(count), count > 0 ? .bad : nil),
                .init(app.source))
        }
        let problems = apps.flatMap { app in app.problems.map { "\(Inert.text(app.name)): \(Inert.text($0))" } }
        return table.lines(for: terminal) + (problems.isEmpty ? [] : [""] + problems)
    }
}
