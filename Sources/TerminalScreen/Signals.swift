import Glibc

/// Signals as bytes to read.
///
/// Handlers, and not sigwait(3): libdispatch parks the main thread with no signal blocked.
package enum Signals {
    // A pipe, made once; written before the first handler is installed.
    nonisolated(unsafe) private static var source: Int32 = -1
    nonisolated(unsafe) private static var sink: Int32 = -1
    nonisolated(unsafe) private static var former: [(number: Int32, action: sigaction)] = []

    private static let handler: @convention(c) (Int32) -> Void = { signal in
        let kept = errno
        var byte = UInt8(truncatingIfNeeded: signal)
        _ = write(sink, &byte, 1)
        errno = kept
    }

    /// The descriptor that the signals' numbers can be read from; nil where there is none to be had.
    ///
    /// `sparingHandled`: those that the program handles or ignores stay as they are.
    package static func start(_ signals: [Int32], sparingHandled: Bool = false) -> Int32? {
        guard source >= 0 || makePipe() else { return nil }
        for number in signals {
            var action = sigaction()
            sigaction(number, nil, &action)
            if sparingHandled, action.disposition != .usual { continue }
            former.append((number, action))
            signal(number, handler)
        }
        return source
    }

    /// The signals do what they did before.
    package static func stop() {
        for (number, action) in former.reversed() {
            var action = action
            sigaction(number, &action, nil)
        }
        former = []
    }

    private static func makePipe() -> Bool {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return false }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (source, sink) = (ends[0], ends[1])
        return true
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
