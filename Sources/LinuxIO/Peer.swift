import CLinux
import Glibc
import SceneModel
import Synchronization

/// Who made a connection, as the kernel noted it then.
///
/// A descriptor for each peer would halve the number of connections, so `pidfd` is opened when it is asked for. While
/// the socket is open the kernel still knows whom it means (SO_PEERPIDFD, Linux 6.5). On older kernels it is opened at
/// once, by pid, and believed only if that process started before the connection was accepted.
package final class Peer: Sendable {
    package let uid: UInt32
    package let gid: UInt32
    /// 0 or less where the process cannot be seen from here (another pid namespace).
    package let pid: Int32

    private struct State {
        /// The connection's descriptor; -1 once that is closed.
        var socket: Int32
        var pidfd: Int32 = -1
        var startTime: UInt64 = 0
    }

    private let state: Mutex<State>

    /// The socket stays the caller's; `detach` before closing it.
    package init(socket: Int32) throws(SystemError) {
        var (pid, uid, gid): (Int32, UInt32, UInt32) = (0, 0, 0)
        guard clinux_peer_credentials(socket, &pid, &uid, &gid) == 0 else { throw SystemError("getsockopt") }
        (self.pid, self.uid, self.gid) = (pid, uid, gid)
        var state = State(socket: socket)
        if !Self.kernelKeepsPeers {
            (state.pidfd, state.startTime) = Self.open(pid, startedBefore: EventLoop.read(CLOCK_BOOTTIME))
        }
        self.state = Mutex(state)
    }

    deinit {
        let pidfd = state.withLock { $0.pidfd }
        if pidfd >= 0 { close(pidfd) }
    }

    /// The process; -1 where it cannot be had. It stays the peer's.
    package var pidfd: Int32 {
        state.withLock { state in
            if state.pidfd < 0, state.socket >= 0 { state.pidfd = clinux_peer_pidfd(state.socket) }
            return state.pidfd
        }
    }

    /// When the process started, in clock ticks since boot (/proc/PID/stat); 0 where that cannot be had. With `pid` it
    /// names a process for as long as the machine runs. Keeps no descriptor.
    package var startTime: UInt64 {
        state.withLock { state in
            if state.startTime == 0 {
                // Only what was read while the process lived is about that process.
                Self.borrowPidfd(state) { pidfd in
                    let startTime = Self.startTime(of: pid)
                    if Self.isRunning(pidfd) { state.startTime = startTime }
                }
            }
            return state.startTime
        }
    }

    /// Whether the process lives; false where that cannot be told. Keeps no descriptor.
    package var isRunning: Bool {
        state.withLock { state in Self.borrowPidfd(state) { Self.isRunning($0) } }
    }

    /// The socket is about to be closed.
    func detach() {
        state.withLock { $0.socket = -1 }
    }

    /// The process's descriptor for the time of the call, -1 where it cannot be had.
    private static func borrowPidfd<Result>(_ state: State, _ body: (Int32) -> Result) -> Result {
        if state.pidfd >= 0 || state.socket < 0 { return body(state.pidfd) }
        let pidfd = clinux_peer_pidfd(state.socket)
        defer { if pidfd >= 0 { close(pidfd) } }
        return body(pidfd)
    }
}

// MARK: Processes

extension Peer {
    /// Whether SO_PEERPIDFD is there.
    private static let kernelKeepsPeers: Bool = {
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            return false
        }
        defer { for end in pair { close(end) } }
        let pidfd = clinux_peer_pidfd(pair[0])
        if pidfd >= 0 { close(pidfd) }
        return pidfd >= 0
    }()

    /// The process with this pid, if it has one that is old enough to be the peer; else -1 and 0.
    static func open(_ pid: Int32, startedBefore accepted: Instant) -> (pidfd: Int32, startTime: UInt64) {
        guard pid > 0 else { return (-1, 0) }
        let pidfd = clinux_pidfd_open(pid)
        guard pidfd >= 0 else { return (-1, 0) }
        let startTime = startTime(of: pid)
        guard startTime > 0, startTime <= ticks(accepted), isRunning(pidfd) else {
            close(pidfd)
            return (-1, 0)
        }
        return (pidfd, startTime)
    }

    /// Field 22 of /proc/PID/stat, counted from behind the command's name, which may contain anything.
    static func startTime(of pid: Int32) -> UInt64 {
        guard pid > 0 else { return 0 }
        return startTime(inStat: readSmallFile("/proc/\(pid)/stat"))
    }

    static func startTime(inStat text: String) -> UInt64 {
        guard let name = text.lastIndex(of: ")") else { return 0 }
        let fields = text[text.index(after: name)...].split(separator: " ")
        return fields.count > 19 ? UInt64(fields[19]) ?? 0 : 0
    }

    private static func ticks(_ instant: Instant) -> UInt64 {
        let rate = Int64(max(sysconf(Int32(_SC_CLK_TCK)), 1))
        return UInt64(max(instant.nanoseconds / (1_000_000_000 / rate), 0))
    }

    /// A pidfd is readable once its process has ended.
    private static func isRunning(_ pidfd: Int32) -> Bool {
        guard pidfd >= 0 else { return false }
        var query = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
        return retryingInterrupted { poll(&query, 1, 0) } == 0
    }
}
