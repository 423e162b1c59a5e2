import CommandLine
import SceneModel
import SceneProtocol

/// What a verb works with: the line, and the world around it.
struct Context {
    let arguments: Arguments
    let environment: [String: String]
    let output: Output
    let errors: Output

    var wantsJSON: Bool { arguments.has(CommonOptions.json) }

    /// The app that `--app` names.
    var namedApp: String? { arguments[CommonOptions.app] }

    /// ` --app NAME` where the line had it.
    var appOption: String { namedApp.map { " --app " + Inert.text($0) } ?? "" }

    func connect(
        interrupt: Interrupt? = nil, patience: Duration = DaemonConnection.patience
    ) throws(CommandFailure) -> DaemonConnection {
        try DaemonConnection(
            to: SocketPath(option: arguments[CommonOptions.socket], environment: environment),
            refusal: refusal, interrupt: interrupt, patience: patience)
    }

    var refusal: Refusal { Refusal(appOption: appOption, helpLine: arguments.helpLine) }

    /// The app that a call is about: the named one, the environment's, or the only one.
    func app(on connection: DaemonConnection) throws(CommandFailure) -> String {
        if let named = namedApp { return named }
        if let app = environment["SCENED_APP"], !app.isEmpty { return app }
        let listed = try connection.call(ListApps.self, .init()).reply.apps
        // One that is broken is meant only where it is the only one.
        let sound = listed.filter(\.problems.isEmpty)
        let apps = sound.isEmpty ? listed : sound
        guard let first = apps.first else {
            throw CommandFailure(
                .configuration, "No app is configured", suggestion: "scened --check-config")
        }
        guard apps.count == 1 else {
            let names = apps.map { Inert.text($0.name) }.joined(separator: ", ")
            let words = arguments.path + arguments.positionals.map(Inert.text) + ["--app", Inert.text(first.name)]
            let line = words.joined(separator: " ")
            throw CommandFailure(.usage, "Several apps are configured (\(names))", suggestion: line)
        }
        return first.name
    }

    func integer(_ option: Option, in range: ClosedRange<Int>) throws(CommandFailure) -> Int? {
        do { return try arguments.integer(option, in: range) } catch { throw CommandFailure(error) }
    }
}
