import CommandLine
import Glibc
import LinuxIO
import SceneModel
import SceneProtocol

/// Answer other apps that want to sign in through this one.
enum AuthorizeVerb: Verb {
    private static let deny = Option("deny", help: "Do not let the other app sign in")
    private static let request = Option(
        "request", value: "ID", help: "The request that is meant, where several wait for an answer")
    private static let requestingApp = Option(
        "for", value: "APP", help: "Begin a login of that app, in place of answering a request")
    private static let code = Option("code", value: "CODE", help: "With --deny: the error that the other app gets")
    private static let reason = Option("reason", value: "TEXT", help: "With --deny: why, for people")
    private static let noBrowser = Option("no-browser", help: "Open no browser; only print the address")

    static let command = Command(
        "authorize", summary: "Let another app sign in through this one, its identity provider",
        discussion: [
            "Without ACCOUNT and --deny, lists what waits for an answer. An answer stands for the scene that is asked. "
                + "When approved, the other app's login screen opens, where you have your session at the login host."
        ],
        positionals: [
            Positional("ACCOUNT", isRequired: false, help: "Whom to sign in: identifier, username or email address")
        ],
        options: [deny, request, requestingApp, code, reason, noBrowser],
        examples: [
            .init("scenectl authorize --app notes", "Which apps ask notes"),
            .init("scenectl authorize --app notes ada@example.com", "The one that asks signs in as Ada"),
            .init("scenectl authorize --app notes --for mail ada@example.com", "mail signs in as Ada, unasked"),
        ])

    static func run(_ context: Context) throws(CommandFailure) {
        let arguments = context.arguments
        let word = arguments.positionals.first
        let asksForNothing = (arguments.has(deny) ? 1 : 0) + (word == nil ? 0 : 1) == 0
        let hasTooMuch = arguments.has(deny) && (word != nil || arguments[requestingApp] != nil)
        if hasTooMuch || (asksForNothing && arguments[requestingApp] != nil)
            || (!arguments.has(deny) && (arguments[code] != nil || arguments[reason] != nil))
        {
            throw CommandFailure(
                .usage, "Name an ACCOUNT, or --deny a request, not both", suggestion: arguments.helpLine)
        }
        let connection = try context.connect()
        let app = try context.app(on: connection)
        if asksForNothing { return try list(app, connection, context) }
        var call = AuthorizeApp.Parameters(app: app, scene: "", decision: arguments.has(deny) ? .deny : .approve)
        if let other = arguments[requestingApp] {
            call.requestingApp = other
            call.scene = try scene(of: app, connection, context)
        } else {
            let request = try chosenRequest(app, connection, context)
            call.request = request.request
            call.scene = request.presenter
        }
        if let word {
            call.account = try AccountChoice(app, on: connection, for: context).identifier(of: word)
        }
        call.code = arguments[code]
        call.description = arguments[reason]
        try show(try connection.call(AuthorizeApp.self, call), context)
    }

    private static func list(
        _ app: String, _ connection: DaemonConnection, _ context: Context
    ) throws(CommandFailure) {
        let answer = try connection.call(ListAuthorizations.self, .init(app: app))
        if context.wantsJSON { return try context.output.json(answer.json) }
        guard !answer.reply.requests.isEmpty else { return try context.output.line("No app asks.") }
        var table = Table([.init("REQUEST"), .init("APP"), .init("USER"), .init("EXPIRES")])
        for request in answer.reply.requests {
            table.add([
                .init(request.request), .init(request.requestingApp), .init(request.loginHint ?? ""),
                .init("in " + Elapsed.text(seconds: request.expiresInSeconds)),
            ])
        }
        try context.output.lines(table.lines(for: context.output.terminal))
    }

    private static func chosenRequest(
        _ app: String, _ connection: DaemonConnection, _ context: Context
    ) throws(CommandFailure) -> AuthorizationRequest {
        let requests = try connection.call(ListAuthorizations.self, .init(app: app)).reply.requests
        let named = context.arguments[request]
        let fitting = requests.filter { named == nil || $0.request == named }
        guard let first = fitting.first else {
            if let named { throw context.refusal.describe(.unknownRequest(named)) }
            throw CommandFailure(
                .failure, "No app asks to sign in through \(Inert.text(app))",
                suggestion: "scenectl watch\(context.appOption)")
        }
        guard fitting.count == 1 else {
            let names = fitting.map { "\(Inert.text($0.request)): \(Inert.text($0.requestingApp))" }
            throw CommandFailure(
                .usage, "Several apps ask (\(names.joined(separator: ", ")))",
                suggestion: "scenectl authorize\(context.appOption) --request \(Inert.text(first.request))")
        }
        return first
    }

    private static func scene(
        of app: String, _ connection: DaemonConnection, _ context: Context
    ) throws(CommandFailure) -> String {
        let scenes = try connection.call(ListScenes.self, .init(app: app)).reply.scenes
        guard let scene = scenes.first(where: { $0.uid == Int(geteuid()) }) else {
            throw CommandFailure(
                .failure, "No scene of \(Inert.text(app)) is connected",
                suggestion: "scenectl watch\(context.appOption)")
        }
        return scene.id
    }

    private static func show(_ answer: Answer<AuthorizeApp.Reply>, _ context: Context) throws(CommandFailure) {
        if context.wantsJSON { try context.output.json(answer.json) }
        if context.arguments.has(deny), !context.wantsJSON { try context.output.line("Denied.") }
        let opens = !context.arguments.has(noBrowser) && Browser.isReachable(context.environment)
        if let message = answer.reply.message { return try Handing.show(message, opens: opens, context) }
        guard let screen = answer.reply.loginScreen ?? answer.reply.authorizationUri else { return }
        let isOpened = opens && Browser(opening: screen) != nil
        if context.wantsJSON { return }
        try context.output.lines([
            isOpened ? "Your browser opens. If it does not, open:" : "To go on, open this address in your browser:",
            "  " + Inert.text(screen),
        ])
    }
}
