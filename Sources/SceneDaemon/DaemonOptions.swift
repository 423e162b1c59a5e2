import CommandLine
import Glibc
import SceneModel

/// Where the daemon listens, keeps its state and reads its configuration.
struct DaemonOptions: Sendable {
    static let version = Product.version

    var isSystem = false
    /// Used where the service manager passes no socket.
    var socket: String
    var stateDirectory: String
    /// The first counts most.
    var configurationDirectories: [String]
    var checksConfiguration = false
    /// Where the user's desktop entries are (XDG Base Directory Specification). Nil in the system's instance.
    var dataDirectories: [String]?
    /// Where the service manager puts credentials (systemd.exec(5), LoadCredential=).
    var credentials: String?

    static let command = Command(
        "scened", summary: "One sign-in for every window of a user",
        discussion: [
            "Started by systemd, it serves the socket that it is passed. Started by hand, it makes one of its own."
        ],
        options: [user, system, socket, state, config, check],
        examples: [
            .init("scened --check-config", "Tell what is wrong with the configuration, with file and line"),
            .init("scened --socket /tmp/s --state /tmp/state --config ./conf", "Run a private instance"),
        ])

    static let user = Option("user", excludes: ["system"], help: "Serve the user who starts it (the default)")
    static let system = Option("system", help: "Serve every user of the machine, each apart from the others")
    static let socket = Option("socket", value: "PATH", completion: .files, help: "Listen here")
    static let state = Option("state", value: "DIR", completion: .directories, help: "Keep accounts and tokens here")
    static let config = Option(
        "config", value: "DIR", isRepeatable: true, completion: .directories,
        help: "Read the configuration here, in place of the usual directories; the first given counts most")
    static let check = Option("check-config", help: "Read the configuration, tell its faults, and end")

    init(_ arguments: Arguments, environment: [String: String]) throws(UsageError) {
        func set(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        isSystem = arguments.has(Self.system)
        checksConfiguration = arguments.has(Self.check)
        credentials = set("CREDENTIALS_DIRECTORY")
        let home = set("HOME")
        let runtime = isSystem ? "/run" : set("XDG_RUNTIME_DIR")
        let state = isSystem ? "/var/lib" : set("XDG_STATE_HOME") ?? home.map { $0 + "/.local/state" }
        let own = set("XDG_CONFIG_HOME") ?? home.map { $0 + "/.config" }
        let given = arguments.all(Self.config)
        configurationDirectories =
            given.isEmpty
            ? (isSystem ? [] : own.map { [$0 + "/scened"] } ?? []) + ["/etc/scened", "/usr/lib/scened"] : given
        let socket = arguments[Self.socket] ?? runtime.map { $0 + "/scened/session" }
        guard let socket = checksConfiguration ? socket ?? "" : socket else {
            throw UsageError(
                "XDG_RUNTIME_DIR is not set, so there is no place for the socket", suggestion: "scened --socket PATH")
        }
        // The service manager names the unit's StateDirectory= itself; a user unit's is below XDG_CONFIG_HOME in old ones.
        let managed = set("STATE_DIRECTORY").flatMap { $0.contains(":") ? nil : $0 }
        let directory = arguments[Self.state] ?? managed ?? state.map { $0 + "/scened" }
        guard let directory = checksConfiguration ? directory ?? "" : directory else {
            throw UsageError("HOME is not set, so there is no place for the state", suggestion: "scened --state DIR")
        }
        if !isSystem {
            let shared = environment["XDG_DATA_DIRS"].flatMap { $0.isEmpty ? nil : $0 } ?? "/usr/local/share:/usr/share"
            let own = set("XDG_DATA_HOME") ?? home.map { $0 + "/.local/share" }
            let all = (own.map { [$0] } ?? []) + shared.split(separator: ":").map(String.init)
            dataDirectories = all.filter { $0.hasPrefix("/") }
        }
        self.socket = socket
        stateDirectory = directory
    }

    /// The sealing key, where the service manager hands one over.
    var sealingKey: Secret? {
        credentials.flatMap { directory in
            guard case .success(let bytes) = SmallFile.bytes(directory + "/scened.key") else { return nil }
            return Secret(bytes)
        }
    }
}
