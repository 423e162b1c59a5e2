import CSystemd
import Glibc

/// Descriptors that the service manager keeps over a restart (sd_pid_notify_with_fds(3), FDSTORE=1).
///
/// It is told on a thread of its own: it compares each descriptor with all that it has, and meanwhile lets others wait.
/// It drops a socket by itself when that has hung up; the rest is to be removed by name.
package struct DescriptorStore {
    private let outbox: Outbox

    /// Nil where no service manager listens.
    package init?() {
        guard getenv("NOTIFY_SOCKET") != nil else { return nil }
        self.init(telling: .serviceManager)
    }

    init(telling outbox: Outbox) {
        self.outbox = outbox
    }

    /// The descriptor stays the caller's.
    package func keep(_ descriptor: Int32, name: String) {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { return }
        let isTold = outbox.add {
            _ = sd_pid_notify_with_fds(0, 0, "FDSTORE=1\nFDNAME=\(name)", [copy], 1)
            close(copy)
        }
        if !isTold { close(copy) }
    }

    /// Removes all that is kept under the name.
    package func remove(name: String) {
        outbox.add { _ = sd_notify(0, "FDSTOREREMOVE=1\nFDNAME=\(name)") }
    }
}
