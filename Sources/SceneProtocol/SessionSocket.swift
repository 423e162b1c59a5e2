/// Where clients find the service.
package enum SessionSocket {
    package static let system = "/run/scened/session"

    /// The user instance's; nil without a runtime directory.
    package static func user(_ environment: [String: String]) -> String? {
        environment["XDG_RUNTIME_DIR"].flatMap { $0.isEmpty ? nil : $0 + "/scened/session" }
    }

    /// What is named, else `$SCENED_SOCKET`, else the user's own instance where it has a socket, else the machine's.
    package static func path(
        named: String? = nil, environment: [String: String], exists: (String) -> Bool
    ) -> String {
        let named = [named, environment["SCENED_SOCKET"]].compactMap { $0 }.first { !$0.isEmpty }
        return named ?? user(environment).flatMap { exists($0) ? $0 : nil } ?? system
    }
}
