import CommandLine
import LinuxIO
import SceneProtocol

/// What the desktop calls with a URL of an app's private scheme.
enum OpenVerb: Verb {
    private static let scene = Option("scene", value: "ID", help: "Only for the login of this scene")
    private static let desktopEntry = Option(
        "desktop-entry", value: "SCHEME",
        help: "Print the desktop entry that has the desktop hand URLs of this scheme to scenectl open")

    static let command = Command(
        "open", summary: "Hand a login host's response, as a URL, to the login that waits for it",
        discussion: [
            "The login is found by the response's state. Where none waits for it, nothing changes, and the exit code is 1. "
                + "Messages of apps that talk through URLs come the same way; what answers one is opened."
        ],
        positionals: [Positional("URL", isRequired: false, help: "As the browser gave it, of the app's RedirectURI=")],
        options: [scene, desktopEntry],
        examples: [
            .init("scenectl open 'com.example.notes:/callback?code=…&state=…'", "What the desktop does after a login"),
            .init(
                "scenectl open --desktop-entry com.example.notes > ~/.local/share/applications/notes-open.desktop",
                "Register the scheme for yourself; then run update-desktop-database ~/.local/share/applications"),
        ])

    static func run(_ context: Context) throws(CommandFailure) {
        let url = context.arguments.positionals.first
        if let scheme = context.arguments[desktopEntry] {
            guard url == nil else {
                throw CommandFailure(
                    .usage, "--desktop-entry and URL exclude each other", suggestion: context.arguments.helpLine)
            }
            let entry = try DesktopEntry(scheme: scheme, helpLine: context.arguments.helpLine)
            return try context.output.write(Array(entry.text.utf8))
        }
        guard let url else {
            throw CommandFailure(.usage, "URL is missing", suggestion: "scenectl open URL")
        }
        guard Self.isURL(url) else {
            throw CommandFailure(
                .usage, "\(Inert.quoted(String(url.prefix(80)))) is no URL", suggestion: context.arguments.helpLine)
        }
        // An app that is asked may have to be started first.
        let answer = try context.connect(patience: .seconds(60)).call(
            HandleResponse.self, .init(url: url, scene: context.arguments[scene]))
        if context.wantsJSON { try context.output.json(answer.json) }
        guard answer.reply.handled else {
            throw CommandFailure(
                .failure, "No login waits for that address; nothing has changed", suggestion: "scenectl login")
        }
        if !context.wantsJSON { try context.output.line("The login goes on.") }
        if let message = answer.reply.open {
            try Handing.show(message, opens: Browser.isReachable(context.environment), context)
        }
    }

    /// A scheme, and behind it nothing that a URL cannot hold (RFC 3986, section 2).
    private static func isURL(_ text: String) -> Bool {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), text.utf8.count <= 32 << 10 else { return false }
        return DesktopEntry.isScheme(text[..<colon]) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }
}
