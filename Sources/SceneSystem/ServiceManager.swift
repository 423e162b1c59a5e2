import CSystemd
import Glibc

/// What the service tells systemd about itself (sd_notify(3)). Does nothing where nobody asked for it.
package enum ServiceManager {
    /// Sends assignments such as "STATUS=text" in one message, soon. What stands behind a line's end is left out.
    package static func notify(_ lines: [String]) {
        let clean = lines.map { line in line.prefix { !$0.isNewline && $0 != "\0" } }
        let message = clean.joined(separator: "\n")
        Outbox.serviceManager.add { _ = sd_notify(0, message) }
    }

    /// Startup, or the reading of the configuration, is complete.
    package static func ready(status: String) {
        notify(["READY=1", "STATUS=\(status)"])
    }

    package static func status(_ text: String) {
        notify(["STATUS=\(text)"])
    }

    package static func stopping() {
        notify(["STOPPING=1"])
    }

    /// The configuration is being read again; `ready` ends it. The time lets systemd match it to its request.
    package static func reloading() {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        notify(["RELOADING=1", "MONOTONIC_USEC=\(time.tv_sec * 1_000_000 + time.tv_nsec / 1000)"])
    }

    /// Nanoseconds within which `watchdog` is expected again and again (WatchdogSec=). Nil: nobody expects it.
    package static var watchdogInterval: Int? {
        var microseconds: UInt64 = 0
        guard sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
        let (nanoseconds, overflow) = Int(clamping: microseconds).multipliedReportingOverflow(by: 1000)
        return overflow ? .max : nanoseconds
    }

    /// The service is alive.
    package static func watchdog() {
        notify(["WATCHDOG=1"])
    }
}
