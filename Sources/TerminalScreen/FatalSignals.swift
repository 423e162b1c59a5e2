import Glibc

/// Signals that end the process: the terminal is left first, then they do what they did before.
enum FatalSignals {
    static let faults = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE]

    // By number, for a handler to find without a lock. Written before the handler is installed.
    nonisolated(unsafe) private static let former = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
    nonisolated(unsafe) private static var taken: [Int32] = []

    private static let handler: @convention(c) (Int32) -> Void = { number in
        TerminalMode.leave()
        // Blocked in here, so it comes when this returns.
        sigaction(number, former + Int(number), nil)
        raise(number)
    }

    /// Those that the program ignores stay so. `sparingHandled`: those that it handles are its own, too.
    static func take(_ signals: [Int32], sparingHandled: Bool = false) {
        for number in signals where !taken.contains(number) {
            sigaction(number, nil, former + Int(number))
            let disposition = former[Int(number)].disposition
            if disposition == .ignored || sparingHandled && disposition == .handled { continue }
            var action = sigaction()
            action.__sigaction_handler.sa_handler = handler
            // A stack that has overflowed has no room for it.
            action.sa_flags = SA_ONSTACK
            sigaction(number, &action, nil)
            taken.append(number)
        }
    }

    static func giveBack() {
        for number in taken { sigaction(number, former + Int(number), nil) }
        taken = []
    }
}

/// What a process does at a signal.
enum Disposition {
    case usual, ignored, handled
}

extension sigaction {
    var disposition: Disposition {
        switch unsafeBitCast(__sigaction_handler.sa_handler, to: Int.self) {
        case 0: .usual
        case 1: .ignored
        default: .handled
        }
    }
}
