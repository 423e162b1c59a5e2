import Glibc

/// What of the process's environment scenectl goes by.
enum Surroundings {
    private static let names = [
        "SCENED_SOCKET", "SCENED_APP", "XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION", "COLORTERM",
        "NO_COLOR", "TERM",
    ]

    static func environment() -> [String: String] {
        var environment: [String: String] = [:]
        for name in names {
            if let value = getenv(name) { environment[name] = String(cString: value) }
        }
        return environment
    }
}
