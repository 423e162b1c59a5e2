import Glibc
import SceneModel

/// A client's socket, for programs that may wait. Time limits are in milliseconds; nil is none.
///
/// A time limit that has passed is `SystemError` with ETIMEDOUT.
package enum BlockingSocket {
    /// Connects to a Unix stream socket. A full backlog is waited for.
    package static func connect(
        path: String, timeoutMilliseconds: Int? = 10_000
    ) throws(SystemError) -> OwnedDescriptor {
        guard let address = UnixAddress(path) else { throw SystemError(code: ENAMETOOLONG, call: "connect") }
        let socket = try UnixAddress.socket(nonBlocking: false)
        if let timeoutMilliseconds { limitConnecting(socket.raw, timeoutMilliseconds) }
        guard retryingInterrupted({ address.connect(socket.raw) }) == 0 else {
            throw SystemError(code: errno == EAGAIN ? ETIMEDOUT : errno, call: "connect")
        }
        return socket
    }

    /// Sends all of it.
    package static func send(
        _ bytes: [UInt8], to socket: Int32, timeoutMilliseconds: Int? = nil
    ) throws(SystemError) {
        let deadline = Deadline(milliseconds: timeoutMilliseconds)
        var offset = 0
        while offset < bytes.count {
            let sent = OutputQueue.send(bytes, from: offset, to: socket)
            if sent >= 0 {
                offset += sent
            } else {
                guard errno == EAGAIN else { throw SystemError("send") }
                try wait(for: POLLOUT, on: socket, until: deadline)
            }
        }
    }

    /// Waits for bytes and receives what is there, up to `buffer`'s size. 0: the other end sends no more.
    package static func receive(
        from socket: Int32, into buffer: UnsafeMutableRawBufferPointer, timeoutMilliseconds: Int? = nil
    ) throws(SystemError) -> Int {
        let deadline = Deadline(milliseconds: timeoutMilliseconds)
        while true {
            let flags = Int32(MSG_DONTWAIT)
            let count = retryingInterrupted { recv(socket, buffer.baseAddress, buffer.count, flags) }
            if count >= 0 { return count }
            guard errno == EAGAIN else { throw SystemError("recv") }
            try wait(for: POLLIN, on: socket, until: deadline)
        }
    }

    /// Waits until the socket is readable or has hung up. False: the time limit has passed.
    package static func waitUntilReadable(
        _ socket: Int32, timeoutMilliseconds: Int?
    ) throws(SystemError) -> Bool {
        do {
            try wait(for: POLLIN, on: socket, until: Deadline(milliseconds: timeoutMilliseconds))
            return true
        } catch {
            if error.code == ETIMEDOUT { return false }
            throw error
        }
    }

    /// SO_SNDTIMEO also limits how long connect(2) waits for a place in the backlog.
    private static func limitConnecting(_ socket: Int32, _ milliseconds: Int) {
        let milliseconds = max(milliseconds, 1)
        var time = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    private static func wait(for events: Int32, on socket: Int32, until deadline: Deadline) throws(SystemError) {
        while true {
            var query = pollfd(fd: socket, events: Int16(events), revents: 0)
            let ready = poll(&query, 1, deadline.remaining)
            if ready > 0 { return }
            if ready == 0, deadline.remaining == 0 { throw SystemError(code: ETIMEDOUT, call: "poll") }
            if ready < 0, errno != EINTR { throw SystemError("poll") }
        }
    }

    private struct Deadline {
        private let instant: Instant?

        init(milliseconds: Int?) {
            instant = milliseconds.map {
                let nanoseconds = Int64($0).multipliedReportingOverflow(by: 1_000_000)
                let start = EventLoop.read(CLOCK_BOOTTIME)
                return start.advanced(byNanoseconds: nanoseconds.overflow ? .max : nanoseconds.partialValue)
            }
        }

        /// For poll(2): milliseconds, rounded up; -1 is for ever.
        var remaining: Int32 {
            guard let instant else { return -1 }
            let now = EventLoop.read(CLOCK_BOOTTIME)
            guard now < instant else { return 0 }
            let (difference, overflow) = instant.nanoseconds.subtractingReportingOverflow(now.nanoseconds)
            return Int32(clamping: overflow ? .max : difference / 1_000_000 + 1)
        }
    }
}
