import CommandLine

/// The command line of scene-window.
enum WindowCommand {
    static let app = Option("app", value: "NAME", help: "The app; by default $SCENED_APP")
    static let socket = Option(
        "socket", value: "PATH", completion: .files,
        help: "scened's socket; by default $SCENED_SOCKET, the user instance's, or the system instance's")
    static let title = Option("title", value: "TEXT", help: "What people call this window")
    static let id = Option("id", value: "ID", help: "Be the scene of this identifier again")

    static let command = Command(
        "scene-window", summary: "Be a window of an app, in a terminal: sign in, and follow the session",
        discussion: [
            "Shows who is signed in and what happens. Its keys stand at the bottom. A login that it is to present takes "
                + "the window: it is opened in the browser if there is a display, else it shows a code to type on another "
                + "device, or the address if the login host has none. Where standard input or output is no terminal, it "
                + "prints a line for each event, until it is ended."
        ],
        options: [app, socket, title, id],
        examples: [
            .init("scene-window --app notes --title Editor", "A window of the app notes, called Editor")
        ],
        sections: [
            .init("Exit codes", ExitCode.allCases.map { (String($0.rawValue), $0.meaning) }),
            .init(
                "Environment",
                [
                    ("SCENED_SOCKET", "The socket, where --socket names none"),
                    ("SCENED_APP", "The app, where --app names none"),
                    ("DISPLAY, WAYLAND_DISPLAY", "If set, login screens are opened in the browser"),
                    ("SSH_CONNECTION", "If set, the login screen takes the address that a browser elsewhere ended at"),
                    ("NO_COLOR", "If set, no colours"),
                ]),
        ])
}
