import Glibc

/// The apps that a user's desktop knows (Desktop Entry Specification).
enum DesktopEntries {
    /// Where an entry of this file name is; the first directory that has it counts.
    static func path(of entry: String, in directories: [String]) -> String? {
        directories.map { "\($0)/applications/\(entry)" }.first { access($0, R_OK) == 0 }
    }

    /// The words that start one, through the bus where the entry wants that. What it starts goes on without gio.
    static func launch(_ path: String) -> [String] {
        [
            "systemd-run", "--user", "--no-block", "--collect", "--quiet", "--slice=app.slice",
            "--property=ExitType=cgroup", "--", "gio", "launch", path,
        ]
    }
}
