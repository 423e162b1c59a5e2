import CommandLine
import SceneProtocol

/// Hand out tokens again.
enum UnlockVerb: Verb {
    static let command = Command(
        "unlock", summary: "Hand out tokens again, in all windows",
        discussion: [
            "Apps with Lock=session stay locked while the screen is: that is refused with 77. Unlock the screen then, or "
                + "run loginctl unlock-session."
        ],
        examples: [.init("scenectl unlock --app notes", "Back at the desk")])

    static func run(_ context: Context) throws(CommandFailure) {
        let connection = try context.connect()
        let app = try context.app(on: connection)
        let answer = try connection.call(Unlock.self, .init(app: app))
        if context.wantsJSON {
            try context.output.json(answer.json)
        } else {
            try context.output.line("Unlocked.")
        }
    }
}
