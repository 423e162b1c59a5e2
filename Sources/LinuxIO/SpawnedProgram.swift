import CLinux
@preconcurrency import Glibc

/// A program that runs by itself, without input or output, in a process group of its own.
package struct SpawnedProgram: Sendable {
    private var process: pid_t

    /// Nil where there is no such program. It is looked for in `$PATH`.
    package init?(_ program: String, _ arguments: [String]) {
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
        // A group of its own, so that Ctrl-C here does not end it; and no signal blocked.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
        var words = ([program] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        var child: pid_t = 0
        guard posix_spawnp(&child, program, &actions, &attributes, words, environ) == 0 else { return nil }
        process = child
    }

    /// Whether it has ended and says that it could not do what it was to.
    package mutating func hasFailed() -> Bool {
        var status: Int32 = 0
        guard process > 0, waitpid(process, &status, WNOHANG) == process else { return false }
        process = 0
        return status != 0
    }

    /// The same, for as long as it takes, but not longer than `patience`.
    package mutating func fails(within patience: Duration) -> Bool {
        let pidfd = clinux_pidfd_open(process)
        guard pidfd >= 0 else { return hasFailed() }
        let owned = OwnedDescriptor(pidfd)
        var ends = pollfd(fd: owned.raw, events: Int16(POLLIN), revents: 0)
        _ = poll(&ends, 1, Int32(patience / .milliseconds(1)))
        return hasFailed()
    }

    /// Calls `ended` on the loop's thread when it has ended, and says whether it has failed.
    package func onEnd(on loop: EventLoop, _ ended: @escaping (_ hasFailed: Bool) -> Void) {
        let raw = clinux_pidfd_open(process)
        guard raw >= 0 else { return }
        let pidfd = OwnedDescriptor(raw)
        let watching = Watching(program: self, pidfd: consume pidfd)
        watching.watch = try? loop.watch(raw, .readable) { _ in
            watching.watch?.cancel()
            watching.watch = nil
            ended(watching.program.hasFailed())
        }
    }

    private final class Watching {
        var program: SpawnedProgram
        let pidfd: OwnedDescriptor
        var watch: Watch?

        init(program: SpawnedProgram, pidfd: consuming OwnedDescriptor) {
            self.program = program
            self.pidfd = pidfd
        }
    }
}
