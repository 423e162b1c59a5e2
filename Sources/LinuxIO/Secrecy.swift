import CLinux
import Glibc

package enum Secrecy {
    /// This process holds secrets: it leaves no core dump, and no other process of the user may read its memory or its
    /// descriptors (prctl(2), PR_SET_DUMPABLE).
    ///
    /// Nor does Swift's runtime print what its registers point at when it crashes: it ends at once, for the service
    /// manager to start it again.
    package static func refuseDumps() {
        _ = clinux_refuse_dumps()
        for number in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGTRAP] { signal(number, SIG_DFL) }
    }
}
