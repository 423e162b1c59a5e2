import Glibc

/// The apps that a user's desktop knows (Desktop Entry Specification).
enum DesktopEntries {
    /// Where an entry of this file name is; the first directory that has it counts.
    static func path(of entry: String, in directories: [String]) -> String? {
        directories.map { "\($0)/applications/\(entry)" }.first { access($0, R_OK) == 0 }
    }

    /// The words that start one, in the user's service manager or over their bus.
    static func launch(_ path: String) -> [String] {
        // Not by gio, which ends before its message is sent (2.74).
        if let name = busName(of: path) {
            let object = "/" + name.replacing(".", with: "/").replacing("-", with: "_")
            return [
                "busctl", "--user", "--timeout=30", "call", name, object, "org.freedesktop.Application", "Activate",
                "a{sv}", "0",
            ]
        }
        // What gio starts goes on without it.
        return [
            "systemd-run", "--user", "--no-block", "--collect", "--quiet", "--slice=app.slice",
            "--property=ExitType=cgroup", "--", "gio", "launch", path,
        ]
    }

    /// That of an app which wants to be started over the bus (section "D-Bus Activation").
    private static func busName(of path: String) -> String? {
        guard case .success(let text) = SmallFile.text(path), isActivatable(text),
            let file = path.split(separator: "/").last, file.hasSuffix(".desktop")
        else { return nil }
        let name = file.dropLast(".desktop".count)
        let elements = name.split(separator: ".", omittingEmptySubsequences: false)
        let isName = elements.allSatisfy { element in
            element.first.map { !$0.isNumber } ?? false
                && element.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
        }
        return elements.count > 1 && isName ? String(name) : nil
    }

    private static func isActivatable(_ text: String) -> Bool {
        var group: Substring = ""
        for line in text.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("[") { group = line }
            guard group.hasPrefix("[Desktop Entry]"), let mark = line.firstIndex(of: "=") else { continue }
            let halves = [line[..<mark], line[mark...].dropFirst()].map { $0.filter { !$0.isWhitespace } }
            if halves == ["DBusActivatable", "true"] { return true }
        }
        return false
    }
}
