import CLinux
@preconcurrency import Glibc

/// The user's browser, by xdg-open(1).
package struct Browser: Sendable {
    private var process: pid_t

    /// Only where there is a display to show it on.
    package static func isReachable(_ environment: [String: String]) -> Bool {
        ["DISPLAY", "WAYLAND_DISPLAY"].contains { !(environment[$0] ?? "").isEmpty }
    }

    /// Nil where the address is no web address, or xdg-open is not there.
    ///
    /// All users of the machine can read the address in the arguments; scened serves it to its own user only.
    package init?(opening address: String) {
        guard address.hasPrefix("http://") || address.hasPrefix("https://") else { return nil }
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        guard posix_spawn_file_actions_init(&actions) == 0, posix_spawnattr_init(&attributes) == 0 else { return nil }
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for descriptor: Int32 in 0...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        // A group of its own, so that Ctrl-C here does not end the browser; and no signal blocked.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
        var child: pid_t = 0
        let status = "xdg-open".withCString { program in
            address.withCString { address in
                let words = [UnsafeMutablePointer(mutating: program), UnsafeMutablePointer(mutating: address), nil]
                return posix_spawnp(&child, program, &actions, &attributes, words, environ)
            }
        }
        guard status == 0 else { return nil }
        process = child
    }

    /// Whether xdg-open has ended and says that it could open nothing.
    package mutating func hasFailed() -> Bool {
        var status: Int32 = 0
        guard process > 0, waitpid(process, &status, WNOHANG) == process else { return false }
        process = 0
        return status != 0
    }

    /// The same, for as long as xdg-open takes, but not longer than `patience`: some stay for as long as the browser does.
    package mutating func fails(within patience: Duration) -> Bool {
        let pidfd = clinux_pidfd_open(process)
        guard pidfd >= 0 else { return hasFailed() }
        let owned = OwnedDescriptor(pidfd)
        var ends = pollfd(fd: owned.raw, events: Int16(POLLIN), revents: 0)
        _ = poll(&ends, 1, Int32(patience / .milliseconds(1)))
        return hasFailed()
    }

    /// Calls `ended` on the loop's thread when xdg-open has ended, and says whether it could open nothing.
    package func onEnd(on loop: EventLoop, _ ended: @escaping (_ hasFailed: Bool) -> Void) {
        let raw = clinux_pidfd_open(process)
        guard raw >= 0 else { return }
        let pidfd = OwnedDescriptor(raw)
        let watching = Watching(browser: self, pidfd: consume pidfd)
        watching.watch = try? loop.watch(raw, .readable) { _ in
            watching.watch?.cancel()
            watching.watch = nil
            ended(watching.browser.hasFailed())
        }
    }

    private final class Watching {
        var browser: Browser
        let pidfd: OwnedDescriptor
        var watch: Watch?

        init(browser: Browser, pidfd: consuming OwnedDescriptor) {
            self.browser = browser
            self.pidfd = pidfd
        }
    }
}
