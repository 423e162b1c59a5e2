import CLinux
import Glibc

/// Signals as something to read: a signalfd.
final class SignalSource {
    private let descriptor: OwnedDescriptor

    init(_ signals: [Int32]) throws(SystemError) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        let problem = pthread_sigmask(SIG_BLOCK, &set, nil)
        guard problem == 0 else { throw SystemError(code: problem, call: "pthread_sigmask") }
        descriptor = try OwnedDescriptor(
            signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK)), from: "signalfd")
    }

    var raw: Int32 { descriptor.raw }

    func drain(_ handler: (Int32) -> Void) {
        var info = signalfd_siginfo()
        while read(descriptor.raw, &info, MemoryLayout<signalfd_siginfo>.size) == MemoryLayout<signalfd_siginfo>.size {
            handler(Int32(bitPattern: info.ssi_signo))
        }
    }
}
