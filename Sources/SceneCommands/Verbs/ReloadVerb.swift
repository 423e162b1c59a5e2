import CommandLine
import SceneProtocol

/// Read the configuration again.
enum ReloadVerb: Verb {
    static let command = Command(
        "reload", summary: "Make scened read its configuration again",
        discussion: ["Connections, logins and waits go on. An app that is broken keeps what it had."],
        examples: [.init("scenectl reload", "Take up a changed file in apps.d; ends with 78 if an app is broken")])

    static func run(_ context: Context) throws(CommandFailure) {
        let answer = try context.connect().call(Reload.self, .init())
        if context.wantsJSON {
            try context.output.json(answer.json)
        } else {
            try context.output.lines(AppTable.lines(answer.reply.apps, context.output.terminal))
        }
        let broken = answer.reply.apps.filter { !$0.problems.isEmpty }.map { Inert.text($0.name) }
        if !broken.isEmpty {
            throw CommandFailure(
                .configuration, "The configuration has problems (\(broken.joined(separator: ", ")))",
                suggestion: "scened --check-config")
        }
    }
}
