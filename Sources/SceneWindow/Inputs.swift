import Glibc
import SceneSession

/// What happens to the window.
enum Input: Sendable {
    case key(Key)
    case signal(Int32)
    /// Nobody can press a key any more.
    case keyboardGone
    /// How connecting to scened has ended.
    case scene(Result<Scene, SceneError>)
}

/// Signals and keys, as they come. A thread waits for them, so that no other has to.
enum Inputs {
    private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    private static let drawing = [SIGWINCH, SIGTSTP, SIGCONT]

    static func start(keyboard: Bool, into continuation: AsyncStream<Input>.Continuation) {
        let signals = Signals.start(keyboard ? ending + drawing : ending) ?? -1
        BackgroundThread.start {
            read(signals, keyboard: keyboard) { continuation.yield($0) }
            continuation.yield(.keyboardGone)
        }
    }

    private static func read(_ signals: Int32, keyboard: Bool, _ yield: (Input) -> Void) {
        var parser = KeyParser()
        var buffer = [UInt8](repeating: 0, count: 512)
        // poll(2) passes over negative descriptors.
        var watched = [signals, keyboard ? STDIN_FILENO : -1].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while true {
            // The rest of a key's sequence comes at once; over a slow line, soon.
            let ready = poll(&watched, nfds_t(watched.count), parser.isWaiting ? 100 : -1)
            if ready < 0 { continue }
            if ready == 0 { for key in parser.timedOut() { yield(.key(key)) } }
            if watched[0].revents != 0 {
                let count = Glibc.read(signals, &buffer, buffer.count)
                for signal in buffer.prefix(max(0, count)) { yield(.signal(Int32(signal))) }
            }
            guard watched[1].revents != 0 else { continue }
            let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return }
            for key in parser.received(buffer.prefix(count)) { yield(.key(key)) }
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
