import CommandLine

/// The options that every verb takes.
enum CommonOptions {
    static let json = Option("json", help: "Print JSON, one document a line, as the interface describes it")
    static let app = Option(
        "app", value: "NAME", help: "The app; by default $SCENED_APP, or the only one that is configured")
    static let socket = Option(
        "socket", value: "PATH", completion: .files,
        help: "scened's socket; by default $SCENED_SOCKET, the user instance's, or the system instance's")

    static let all = [json, app, socket]
}
