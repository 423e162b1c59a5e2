import CommandLine
import SceneModel
import SceneProtocol

/// The connected windows.
enum ScenesVerb: Verb {
    static let command = Command(
        "scenes", summary: "List the connected scenes",
        examples: [.init("scenectl scenes --app notes", "The app's windows, and which process each belongs to")])

    static func run(_ context: Context) throws(CommandFailure) {
        let answer = try context.connect().call(ListScenes.self, .init(app: context.namedApp))
        if context.wantsJSON {
            try context.output.json(answer.json)
        } else if answer.reply.scenes.isEmpty {
            try context.output.line("No scene is connected.")
        } else {
            try context.output.lines(table(answer.reply.scenes).lines(for: context.output.terminal))
        }
    }

    /// The user's number stands only where there is more than one.
    static func table(_ scenes: [SceneInfo]) -> Table {
        let showsUsers = Set(scenes.map(\.uid)).count > 1
        var table = Table(
            [.init("APP"), .init("SCENE"), .init("TITLE", shortens: true)]
                + (showsUsers ? [.init("UID", isNumber: true)] : [])
                + [
                    .init("PID", isNumber: true), .init("ACTIVATION"), .init("CONNECTED"),
                    .init("BACKLOG", isNumber: true),
                ])
        for scene in scenes {
            table.add(
                [.init(scene.app), .init(scene.id), .init(scene.title ?? "")]
                    + (showsUsers ? [.init(String(scene.uid))] : [])
                    + [
                        .init(String(scene.pid)), .init(scene.activation.rawValue),
                        .init(Elapsed.text(seconds: scene.connectedSeconds)), .init(String(scene.backlog)),
                    ])
        }
        return table
    }
}
