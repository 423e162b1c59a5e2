import CommandLine
import SceneModel

/// GetStatus for people.
struct StatusText {
    var status: ServiceStatus

    func lines(_ terminal: Terminal) -> [String] {
        let restored = status.restoredScenes > 0 ? " (\(status.restoredScenes) kept through the last restart)" : ""
        let entries = [
            ("Scenes", "\(status.scenes)\(restored)"),
            ("Accounts", "\(status.accounts) in \(counted(status.sessions, "session"))"),
            ("Logins", "\(status.logins) under way"),
            ("Storage", Inert.text(status.storage)),
            ("Sealing key", status.keySource.isEmpty ? "none" : "from a \(Inert.text(status.keySource))"),
        ]
        let title = "scened \(Inert.text(status.version)), running for \(Elapsed.text(seconds: status.uptimeSeconds))"
        return [terminal.styled(title, .heading)]
            + entries.map { "  " + $0.0.padded(to: 12) + "  " + $0.1 }
            + status.problems.map { "  " + terminal.styled("Problem".padded(to: 12), .bad) + "  " + Inert.text($0) }
    }

    private func counted(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)" + (number == 1 ? "" : "s")
    }
}
