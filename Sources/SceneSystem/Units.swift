import CSystemd
import Glibc

/// Which unit a process belongs to, as its control group tells.
package enum Units {
    /// The system unit, and the unit of the user's own service manager, of a process; nil where there is none, or where
    /// it cannot be told. `pidfd` stands for the process: only what was read while it lived is about it.
    package static func unit(of pid: Int32, pidfd: Int32) -> (system: String?, user: String?) {
        guard pid > 0, pidfd >= 0 else { return (nil, nil) }
        let system = name { sd_pid_get_unit(pid, $0) }
        let user = name { sd_pid_get_user_unit(pid, $0) }
        return isRunning(pidfd) ? (system, user) : (nil, nil)
    }

    private static func name(_ read: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard read(&text) >= 0, let text else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    /// A pidfd is readable once its process has ended.
    private static func isRunning(_ pidfd: Int32) -> Bool {
        var query = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
        return poll(&query, 1, 0) == 0
    }
}
