import Glibc

/// Signals as bytes to read.
///
/// Handlers, and not sigwait(3): libdispatch parks the main thread with no signal blocked.
package enum Signals {
    // Written once, before the first handler is installed.
    nonisolated(unsafe) private static var sink: Int32 = -1

    private static let handler: @convention(c) (Int32) -> Void = { signal in
        let kept = errno
        var byte = UInt8(truncatingIfNeeded: signal)
        _ = write(sink, &byte, 1)
        errno = kept
    }

    /// The descriptor that the signals' numbers can be read from; nil where there is none to be had.
    package static func start(_ signals: [Int32]) -> Int32? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        sink = ends[1]
        for number in signals { signal(number, handler) }
        return ends[0]
    }

    /// Stops the process as Ctrl-Z does. Returns when it goes on; at once where nobody could continue it.
    package static func suspend() {
        var suspending = sigset_t()
        var former = sigset_t()
        sigemptyset(&suspending)
        sigaddset(&suspending, SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &suspending, &former)
        signal(SIGTSTP, SIG_DFL)
        raise(SIGTSTP)
        signal(SIGTSTP, handler)
        pthread_sigmask(SIG_SETMASK, &former, nil)
    }
}
