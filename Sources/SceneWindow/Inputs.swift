import Glibc
import SceneSession

/// What comes to the window from outside of scened.
enum Input: Sendable {
    case key(Key)
    case signal(Int32)
    /// Nobody can press a key any more.
    case keyboardGone
    /// How connecting to scened has ended.
    case scene(Result<Scene, SceneError>)
}

/// Signals and keys, in the order in which they came. Two threads wait for them, so that no other has to.
enum Inputs {
    private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    private static let drawing = [SIGWINCH, SIGTSTP, SIGCONT]

    /// To be called before any other thread is started: all inherit that the signals are blocked.
    static func start(keyboard: Bool, into continuation: AsyncStream<Input>.Continuation) {
        let signals = keyboard ? ending + drawing : ending
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        BackgroundThread.start {
            waitForSignals(signals) { continuation.yield(.signal($0)) }
        }
        if keyboard {
            BackgroundThread.start {
                readKeys { continuation.yield(.key($0)) }
                continuation.yield(.keyboardGone)
            }
        }
    }

    private static func waitForSignals(_ signals: [Int32], _ yield: (Int32) -> Void) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        var signal: Int32 = 0
        while sigwait(&set, &signal) == 0 { yield(signal) }
    }

    private static func readKeys(_ yield: (Key) -> Void) {
        var parser = KeyParser()
        var buffer = [UInt8](repeating: 0, count: 512)
        while true {
            var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            // The rest of a key's sequence comes at once; over a slow line, soon.
            let ready = poll(&descriptor, 1, parser.isWaiting ? 100 : -1)
            if ready == 0 { parser.timedOut().forEach(yield) }
            guard ready != 0 else { continue }
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return }
            parser.received(buffer.prefix(count)).forEach(yield)
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
