import CommandLine
import Glibc

/// Where scened listens.
struct SocketPath: Equatable {
    static let system = "/run/scened/session"

    var path: String
    /// What starts the scened that listens there.
    var startLine: String
    /// What tells how that scened is.
    var statusLine: String

    /// The option, else the environment, else the user's own instance where it has a socket, else the machine's.
    init(option: String?, environment: [String: String], exists: (String) -> Bool = Self.exists) {
        let user = environment["XDG_RUNTIME_DIR"].flatMap { $0.isEmpty ? nil : $0 + "/scened/session" }
        let named = [option, environment["SCENED_SOCKET"]].compactMap { $0 }.first { !$0.isEmpty }
        path = named ?? user.flatMap { exists($0) ? $0 : nil } ?? Self.system
        if path == user || named == nil && user != nil && !exists(Self.system) {
            startLine = "systemctl --user start scened.socket"
            statusLine = "systemctl --user status scened"
        } else if path == Self.system {
            startLine = "sudo systemctl start scened.socket"
            statusLine = "systemctl status scened"
        } else {
            startLine = "scened --socket \(Inert.text(path))"
            statusLine = "journalctl -b -t scened"
        }
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
