import CLinux
import Glibc
import SceneModel
import Synchronization

/// Who made a connection, as the kernel noted it then.
///
/// A descriptor for each peer would halve the number of connections, so none is kept: one for its process is opened
/// when it is asked for. While the socket is open the kernel still knows whom it means (SO_PEERPIDFD, Linux 6.5). Else
/// the process is found by pid and start time, which older kernels are asked for at once, and which is believed only if
/// that process started before the connection was accepted.
package final class Peer: Sendable {
    package let uid: UInt32
    package let gid: UInt32
    /// 0 or less where the process cannot be seen from here (another pid namespace).
    package let pid: Int32

    private struct State {
        /// The connection's descriptor; -1 once that is closed.
        var socket: Int32
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
            state.startTime = Self.startTime(of: pid, startedBefore: EventLoop.read(CLOCK_BOOTTIME))
        }
        self.state = Mutex(state)
    }

    /// Calls `body` with a descriptor for the process, or -1 where it cannot be had; it is closed afterwards.
    package func withProcess<Result>(_ body: (Int32) -> Result) -> Result {
        let pidfd = state.withLock { open($0) }
        defer { if pidfd >= 0 { close(pidfd) } }
        return body(pidfd)
    }

    /// When the process started, in clock ticks since boot (/proc/PID/stat); 0 where that cannot be had. With `pid` it
    /// names a process for as long as the machine runs.
    package var startTime: UInt64 {
        state.withLock { state in
            guard state.startTime == 0 else { return state.startTime }
            let pidfd = open(state)
            guard pidfd >= 0 else { return 0 }
            defer { close(pidfd) }
            let startTime = Self.startTime(of: pid)
            // Only what was read while the process lived is about that process.
            if Self.isRunning(pidfd) { state.startTime = startTime }
            return state.startTime
        }
    }

    /// Whether the process lives; false where that cannot be told.
    package var isRunning: Bool { withProcess(Self.isRunning) }

    /// The socket is about to be closed.
    func detach() {
        state.withLock { $0.socket = -1 }
    }

    /// The caller's to close.
    private func open(_ state: State) -> Int32 {
        if state.socket >= 0, Self.kernelKeepsPeers { return clinux_peer_pidfd(state.socket) }
        guard pid > 0, state.startTime > 0 else { return -1 }
        let pidfd = clinux_pidfd_open(pid)
        if pidfd < 0 || Self.startTime(of: pid) == state.startTime { return pidfd }
        close(pidfd)
        return -1
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

    /// When the process with this pid started, if there is one that is old enough to be the peer; else 0.
    static func startTime(of pid: Int32, startedBefore accepted: Instant) -> UInt64 {
        let startTime = startTime(of: pid)
        return startTime <= ticks(accepted) ? startTime : 0
    }

    /// Field 22 of /proc/PID/stat, counted from behind the command's name, which may contain anything.
    static func startTime(of pid: Int32) -> UInt64 {
        guard pid > 0 else { return 0 }
        return withSmallFile("/proc/\(pid)/stat") { startTime(inStat: $0) }
    }

    /// 0 where it is not what proc(5) says.
    static func startTime(inStat text: some BidirectionalCollection<UInt8>) -> UInt64 {
        guard let name = text.lastIndex(of: UInt8(ascii: ")")) else { return 0 }
        var (spaces, value) = (0, UInt64(0))
        for byte in text[name...] {
            if byte == UInt8(ascii: " ") {
                spaces += 1
                if spaces > 20 { return value }
            } else if spaces == 20 {
                guard let digit = UInt64(exactly: Int(byte) - 0x30), digit < 10, value < UInt64.max / 10 else {
                    return 0
                }
                value = value * 10 + digit
            }
        }
        return value
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
