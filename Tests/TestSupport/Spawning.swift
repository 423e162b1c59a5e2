import Foundation
import Synchronization

/// Processes by posix_spawn(3).
package enum Spawning {
    /// Descriptors are made and inherited one process at a time, lest a child hold the pipe of another's.
    private static let spawning = Mutex(())

    package static func oneAtATime(_ body: () throws -> Void) throws {
        try spawning.withLock { _ in try body() }
    }

    /// A program that is built beside the tests.
    package static func built(_ name: String) -> String {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return (tests as NSString).deletingLastPathComponent + "/" + name
    }

    /// The repository's directory.
    package static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    /// Writes an executable file. A child that inherited it while it was written could not be made to run it (ETXTBSY).
    package static func script(_ text: String, at path: String) throws {
        try oneAtATime {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            chmod(path, 0o755)
        }
    }

    /// Its reading and its writing end.
    package static func pipe() throws -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw TestFailure("pipe: errno \(errno)") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Starts a program with these descriptors as its 0, 1 and 2, and with no signal blocked.
    package static func start(
        _ executable: String, _ arguments: [String], _ environment: [String: String], _ ends: [Int32]
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for (index, end) in ends.enumerated() { posix_spawn_file_actions_adddup2(&actions, end, Int32(index)) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigaddset(&signals, SIGPIPE)
        sigaddset(&signals, SIGINT)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        let words = ([executable] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { (words + variables).forEach { free($0) } }
        var child: pid_t = 0
        let status = posix_spawn(&child, executable, &actions, &attributes, words, variables)
        guard status == 0 else { throw TestFailure("cannot start \(executable): errno \(status)") }
        return child
    }
}
