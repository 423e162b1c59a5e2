import CSystemd
import Glibc

/// Descriptors that the service manager keeps over a restart (sd_pid_notify_with_fds(3), FDSTORE=1).
///
/// It is told on a thread of its own: it compares each descriptor with all that it has, and meanwhile lets others wait.
/// It drops a socket by itself when that has hung up; the rest is to be removed by name.
package final class DescriptorStore: @unchecked Sendable {
    private enum Order {
        case keep(descriptor: Int32, name: String)
        case remove(name: String)
    }

    /// Descriptors in one message (SCM_MAX_FD is 253).
    private static let batch = 64

    private var lock = pthread_mutex_t()
    private var wanted = pthread_cond_t()
    private var orders: [Order] = []

    /// Nil where no service manager listens.
    package init?() {
        guard getenv("NOTIFY_SOCKET") != nil else { return nil }
        pthread_mutex_init(&lock, nil)
        pthread_cond_init(&wanted, nil)
        var thread = pthread_t()
        let me = Unmanaged.passRetained(self)
        let status = pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<DescriptorStore>.fromOpaque(argument).takeUnretainedValue().run() }
                return nil
            }, me.toOpaque())
        guard status == 0 else {
            me.release()
            return nil
        }
        pthread_detach(thread)
    }

    /// The descriptor stays the caller's.
    package func keep(_ descriptor: Int32, name: String) {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        if copy >= 0 { add(.keep(descriptor: copy, name: name)) }
    }

    /// Removes all that is kept under the name.
    package func remove(name: String) {
        add(.remove(name: name))
    }

    private func add(_ order: Order) {
        pthread_mutex_lock(&lock)
        orders.append(order)
        pthread_cond_signal(&wanted)
        pthread_mutex_unlock(&lock)
    }

    private func run() {
        while true {
            pthread_mutex_lock(&lock)
            while orders.isEmpty { pthread_cond_wait(&wanted, &lock) }
            let due = orders
            orders = []
            pthread_mutex_unlock(&lock)
            perform(due)
        }
    }

    /// In order; neighbours of one name go in one message.
    private func perform(_ orders: [Order]) {
        var group: [Int32] = []
        var groupName = ""
        func flush() {
            guard !group.isEmpty else { return }
            _ = sd_pid_notify_with_fds(0, 0, "FDSTORE=1\nFDNAME=\(groupName)", group, UInt32(group.count))
            for descriptor in group { close(descriptor) }
            group = []
        }
        for order in orders {
            switch order {
            case .keep(let descriptor, let name):
                if name != groupName || group.count == Self.batch { flush() }
                groupName = name
                group.append(descriptor)
            case .remove(let name):
                flush()
                _ = sd_notify(0, "FDSTOREREMOVE=1\nFDNAME=\(name)")
            }
        }
        flush()
    }
}
