import CommandLine
import Glibc
import SceneModel
import SceneProtocol
import Varlink

/// What happens, as it happens.
enum WatchVerb: Verb {
    private static let all = Option("all", help: "Follow all apps and, for root, all users, without being a scene")

    static let command = Command(
        "watch", summary: "Print what happens in the session, one line an event",
        discussion: ["Ends with 0 on Ctrl-C, and with 69 when scened goes away."],
        options: [all],
        examples: [
            .init("scenectl watch --app notes", "Be a scene of the app and follow it"),
            .init("scenectl watch --all --json", "Follow everything, for a program to read"),
        ])

    static func run(_ context: Context) throws(CommandFailure) {
        let interrupt = Interrupt()
        do {
            let connection = try context.connect(interrupt: interrupt)
            if context.arguments.has(all) {
                try connection.send(Monitor.self, .init(app: context.namedApp), more: true)
                try follow(connection, context, firstWithin: nil)
            } else {
                let app = try context.app(on: connection)
                try connection.send(ConnectScene.self, .init(app: app, title: "scenectl watch"), more: true)
                try follow(connection, context, firstWithin: .now + DaemonConnection.patience)
            }
        } catch {
            if error.exitCode != .interrupted { throw error }
        }
    }

    /// Until scened goes, or Ctrl-C, or until nobody reads what is printed.
    private static func follow(
        _ connection: DaemonConnection, _ context: Context, firstWithin deadline: ContinuousClock.Instant?
    ) throws(CommandFailure) {
        var deadline = deadline
        let reader = pollfd(fd: context.output.descriptor, events: 0, revents: 0)
        while true {
            switch try connection.next(until: deadline, watching: [reader]) {
            case .answer(let answer):
                deadline = nil
                guard try show(answer, connection, context) else { return }
            case .deadline: throw connection.socket.stuck
            case .other:
                // The reader of a pipe has gone: what the next line would meet.
                raise(SIGPIPE)
                throw CommandFailure(.failure, "Nobody reads the output")
            }
        }
    }

    /// Whether more is to come.
    private static func show(
        _ answer: VarlinkAnswer, _ connection: DaemonConnection, _ context: Context
    ) throws(CommandFailure) -> Bool {
        guard case .reply(let parameters, let continues) = answer, let parameters,
            let json = parameters["event"], let kind = json["kind"]?.string
        else {
            _ = try connection.read(answer, of: ConnectScene.self)
            return true
        }
        if context.wantsJSON {
            try context.output.json(parameters)
        } else {
            let origin = parameters["app"]?.string.map { Inert.text($0) + " " + (parameters["uid"]?.text ?? "") }
            // An event of a kind that only a newer scened knows is named, not explained.
            let text = (try? Event(lenient: json)).map { EventText($0).text } ?? ""
            let parts = [LocalTime.now, origin.map { $0.padded(to: 16) }, Inert.text(kind).padded(to: 18), text]
            try context.output.line(parts.compactMap { $0 }.joined(separator: "  ").trimmed)
        }
        return continues
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
