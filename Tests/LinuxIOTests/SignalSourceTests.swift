import Glibc
import Testing

@testable import LinuxIO

@Suite(.timeLimit(.minutes(1))) struct SignalSourceTests {
    /// In a process of its own: whoever does not block a signal gets it.
    @Test func signalsAreEvents() async {
        await #expect(processExitsWith: .success) {
            let loop = try EventLoop()
            var seen: [Int32] = []
            try loop.onSignals([SIGHUP, SIGTERM]) { signal in
                seen.append(signal)
                if signal == SIGTERM { loop.stop() }
            }
            pthread_kill(pthread_self(), SIGHUP)
            loop.schedule(at: EventLoop.now.boot) { pthread_kill(pthread_self(), SIGTERM) }
            run(loop)
            #expect(seen == [SIGHUP, SIGTERM])
        }
    }
}
