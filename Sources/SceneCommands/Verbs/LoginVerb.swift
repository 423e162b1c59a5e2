import CommandLine
import LinuxIO
import SceneModel
import SceneProtocol
import TerminalScreen

/// Sign in, for all windows.
enum LoginVerb: Verb {
    private static let device = Option(
        "device", help: "Show a code to type on another device; done without where there is no display")
    private static let host = Option("host", value: "URL", help: "Sign in at this login host, not the selected one")
    private static let hint = Option("hint", value: "NAME", help: "The account name to fill in")
    private static let force = Option("force", help: "Make the login host ask for credentials")
    private static let ifRequired = Option(
        "if-required", help: "Do nothing if somebody is signed in; join a login that is under way")
    private static let local = Option("local", help: "Do not ask the app's identity provider; also where a login does")
    private static let timeout = Option("timeout", value: "SECONDS", help: "Give up after so long; by default 600")
    private static let noBrowser = Option("no-browser", help: "Open no browser; only print the address")

    static let command = Command(
        "login", summary: "Sign in one more account and make it current, in all windows",
        discussion: [
            "Opens the login screen in your browser if there is a display, and prints its address in any case.",
            "Without a display, as over ssh, or with --device it shows a code, and the address where to type it on any "
                + "other device, as a QR code too if the terminal has room for one. Where the login host does not offer "
                + "that, and with --no-browser, it shows the address for a browser on this machine; over ssh it then "
                + "also takes the address that a browser on another machine ended at, pasted into the terminal.",
            "On a terminal without a browser the login screen takes the whole terminal. Its keys stand at the bottom: "
                + "among them h for the login hosts, to pick, add or remove one, Esc to go back where the app lets you, "
                + "and q to quit. Elsewhere, and with TERM=dumb, it prints lines; pasted addresses are then read from "
                + "standard input.",
        ],
        options: [device, host, hint, force, ifRequired, local, timeout, noBrowser],
        examples: [
            .init("scenectl login --app notes", "Sign in one more account"),
            .init("scenectl login --device", "Sign in by means of your phone"),
            .init("scenectl login --if-required --timeout 60 && make upload", "Have somebody signed in, then go on"),
        ])

    static func run(_ context: Context) throws(CommandFailure) {
        let options = try options(context)
        let progress = try showsScreen(context) ? dialog(context, options) : lines(context, options)
        if !context.wantsJSON { try context.output.line(outcome(progress)) }
    }

    /// Where the user is at a terminal, and sees no login screen in a browser.
    private static func showsScreen(_ context: Context) -> Bool {
        let opensBrowser = !context.arguments.has(device) && opensBrowser(context)
        return !context.wantsJSON && !opensBrowser
            && FullScreen.isPossible(on: context.errors.descriptor, environment: context.environment)
    }

    private static func dialog(_ context: Context, _ options: LoginOptions) throws(CommandFailure) -> LoginProgress {
        let connection = try context.connect()
        let app = try context.app(on: connection)
        var dialog = LoginDialog(
            context, app: app, connection: connection, options: options,
            acceptsBrowser: !context.arguments.has(device)
        ) { (options) throws(CommandFailure) in try send(context, connection, app, options) }
        return try dialog.run()
    }

    private static func lines(_ context: Context, _ options: LoginOptions) throws(CommandFailure) -> LoginProgress {
        let interrupt = Interrupt()
        let connection = try context.connect(interrupt: interrupt)
        let app = try context.app(on: connection)
        try send(context, connection, app, options)
        var conversation = conversation(context, connection, interrupt, options)
        if options.presentation == .device, !context.arguments.has(device) {
            conversation.browserInstead = { (connection) throws(CommandFailure) in
                var options = options
                options.presentation = .browser
                try send(context, connection, app, options)
                return Self.conversation(context, connection, interrupt, options)
            }
        }
        return try conversation.run(until: deadline(options))
    }

    private static func opensBrowser(_ context: Context) -> Bool {
        !context.arguments.has(noBrowser) && Browser.isReachable(context.environment)
    }

    private static func options(_ context: Context) throws(CommandFailure) -> LoginOptions {
        let arguments = context.arguments
        var options = LoginOptions()
        let hasBrowser = arguments.has(noBrowser) || Browser.isReachable(context.environment)
        options.presentation = arguments.has(device) || !hasBrowser ? .device : .browser
        options.loginHost = arguments[host]
        options.loginHint = arguments[hint]
        options.force = arguments.has(force) ? true : nil
        options.local = arguments.has(local) ? true : nil
        options.timeoutSeconds = try context.integer(timeout, in: 1...86_400)
        return options
    }

    private static func send(
        _ context: Context, _ connection: DaemonConnection, _ app: String, _ options: LoginOptions
    ) throws(CommandFailure) {
        if context.arguments.has(ifRequired) {
            try connection.send(LoginIfRequired.self, .init(app: app, options: options), more: true)
        } else {
            try connection.send(Login.self, .init(app: app, options: options), more: true)
        }
    }

    private static func conversation(
        _ context: Context, _ connection: DaemonConnection, _ interrupt: Interrupt?, _ options: LoginOptions
    ) -> LoginConversation {
        let isRemote = !(context.environment["SSH_CONNECTION"] ?? "").isEmpty && options.presentation != .device
        return LoginConversation(
            context: context, connection: connection, interrupt: interrupt,
            guide: LoginGuide(
                opensBrowser: opensBrowser(context), acceptsPasting: isRemote, terminal: context.errors.terminal),
            status: StatusLine(on: context.errors, shares: isRemote), pasted: isRemote ? PastedLines() : nil)
    }

    /// scened ends the login in time; if it does not, it is stuck.
    static func deadline(_ options: LoginOptions) -> ContinuousClock.Instant {
        .now + DaemonConnection.patience + .seconds(options.timeoutSeconds ?? 600)
    }

    private static func outcome(_ progress: LoginProgress) -> String {
        let verb = progress.state == .signedIn ? "Signed in" : "Already signed in"
        guard let account = progress.account else { return verb + "." }
        return "\(verb) as \(account.label) at \(Inert.text(account.loginHost))."
    }
}
