import Glibc

/// Ctrl-C as something to wait for: a descriptor that becomes readable.
///
/// From its making on, SIGINT no longer ends the process.
struct Interrupt {
    let descriptor: Int32

    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        descriptor = ends[0]
        let sink = ends[1]
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        // Blocked in all threads; only the one below takes it, and lives as long as the process.
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        guard Self.startThread(reportingTo: sink) else {
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            return nil
        }
    }

    private static func startThread(reportingTo sink: Int32) -> Bool {
        var thread = pthread_t()
        let argument = UnsafeMutableRawPointer(bitPattern: Int(sink))
        let status = pthread_create(
            &thread, nil,
            { argument in
                var signals = sigset_t()
                sigemptyset(&signals)
                sigaddset(&signals, SIGINT)
                var signal: Int32 = 0
                while sigwait(&signals, &signal) == 0 {
                    var byte: UInt8 = 1
                    _ = write(Int32(Int(bitPattern: argument)), &byte, 1)
                }
                return nil
            }, argument)
        return status == 0
    }
}
