import CommandLine
import Glibc
import SceneProtocol

/// Where scened listens.
struct SocketPath: Equatable {
    static let system = SessionSocket.system

    var path: String
    /// What starts the scened that listens there.
    var startLine: String
    /// What tells how that scened is.
    var statusLine: String

    /// The option, else the environment, else the user's own instance where it has a socket, else the machine's.
    init(option: String?, environment: [String: String], exists: (String) -> Bool = Self.exists) {
        let user = SessionSocket.user(environment)
        path = SessionSocket.path(named: option, environment: environment, exists: exists)
        let isNamed = ![option, environment["SCENED_SOCKET"]].allSatisfy { ($0 ?? "").isEmpty }
        if path == user || !isNamed && user != nil && !exists(Self.system) {
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
