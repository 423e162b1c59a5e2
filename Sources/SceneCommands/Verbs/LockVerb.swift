import CommandLine
import SceneProtocol

/// Hand out no more tokens.
enum LockVerb: Verb {
    static let command = Command(
        "lock", summary: "Hand out no more tokens until unlock, in all windows",
        discussion: [
            "Nobody is signed out. Who wants to sign in, or a token, waits or is refused with 77. Apps with Lock=session "
                + "are locked with the screen, too."
        ],
        examples: [.init("scenectl lock --app notes", "Leave the desk")])

    static func run(_ context: Context) throws(CommandFailure) {
        let connection = try context.connect()
        let app = try context.app(on: connection)
        let answer = try connection.call(Lock.self, .init(app: app))
        if context.wantsJSON {
            try context.output.json(answer.json)
        } else {
            try context.output.line("Locked. Unlock: scenectl unlock --app \(Inert.text(app))")
        }
    }
}
