import Glibc

/// Keys and signals, read as they come.
package struct TerminalInput {
    package enum Event: Equatable, Sendable {
        case key(Key)
        case signal(Int32)
        /// Nobody can press a key any more.
        case keyboardGone
    }

    package static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    package static let drawing = [SIGWINCH, SIGTSTP, SIGCONT]

    private let signals: Int32
    private var keyboard: Int32
    private var parser = KeyParser()

    /// Takes the signals over; without a keyboard only those that end the process.
    package init(keyboard: Bool) {
        signals = Signals.start(keyboard ? Self.ending + Self.drawing : Self.ending) ?? -1
        self.keyboard = keyboard ? STDIN_FILENO : -1
    }

    /// On a terminal that a program lends: of the signals only those that concern the screen, if the program does not
    /// handle them itself, until `Signals.stop`.
    package init(lentBy keyboard: Int32) {
        signals = Signals.start(Self.drawing, sparingHandled: true) ?? -1
        self.keyboard = keyboard
    }

    /// What to wait for. poll(2) passes over negative descriptors.
    package var descriptors: [pollfd] {
        [signals, keyboard].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    }

    /// The signals' alone.
    package var signalDescriptor: pollfd { pollfd(fd: signals, events: Int16(POLLIN), revents: 0) }

    /// The signals that have come; keys wait.
    package func readSignals() -> [Int32] {
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(signals, &buffer, buffer.count)
        return buffer.prefix(max(0, count)).map { Int32($0) }
    }

    /// How long to wait for the rest of a key's sequence, which comes at once; over a slow line, soon. Nil: for ever.
    package var patience: Duration? { parser.isWaiting ? .milliseconds(100) : nil }

    /// What has come. Waits for at most so long.
    package mutating func read(waiting milliseconds: Int32 = 0) -> [Event] {
        var watched = descriptors
        let ready = poll(&watched, nfds_t(watched.count), milliseconds)
        if ready < 0 { return [] }
        if ready == 0 { return parser.timedOut().map { .key($0) } }
        var events: [Event] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        if watched[0].revents != 0 {
            events += readSignals().map { .signal($0) }
        }
        guard watched[1].revents != 0 else { return events }
        let count = Glibc.read(keyboard, &buffer, buffer.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return events }
        guard count > 0 else {
            keyboard = -1
            return events + [.keyboardGone]
        }
        return events + parser.received(buffer.prefix(count)).map { .key($0) }
    }

    /// Reads for ever, in a thread, so that no other has to wait.
    package static func start(keyboard: Bool, _ yield: @escaping @Sendable (Event) -> Void) {
        let input = TerminalInput(keyboard: keyboard)
        BackgroundThread.start {
            var input = input
            while true {
                for event in input.read(waiting: input.patience == nil ? -1 : 100) {
                    yield(event)
                    if event == .keyboardGone { return }
                }
            }
        }
    }
}

enum BackgroundThread {
    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    static func start(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let work = Unmanaged.passRetained(Work(body))
        let status = pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
                return nil
            }, work.toOpaque())
        if status == 0 { pthread_detach(thread) } else { work.release() }
    }
}
