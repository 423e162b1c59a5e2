import Glibc

/// The directory that one daemon, and no other, keeps its state in: made for its owner alone, and locked.
final class StateDirectory: Sendable {
    /// Without links.
    let path: String
    private let lock: Int32

    var database: String { path + "/sessions.sqlite" }
    var keyFile: String { path + "/key" }

    init(_ name: String) throws(StoreError) {
        try Self.make(name)
        guard let resolved = realpath(name, nil) else { throw StoreError(cannot: "open \(name)") }
        defer { free(resolved) }
        path = String(cString: resolved)
        try Self.check(path)
        lock = try Self.lock(path)
    }

    /// Unlocked by name: a child between fork and exec still holds the descriptor.
    deinit {
        flock(lock, LOCK_UN)
        close(lock)
    }

    /// Makes new and removed names last.
    func synchronize() throws(StoreError) {
        let directory = try File(path, O_RDONLY | O_DIRECTORY)
        guard fsync(directory.descriptor) == 0 else { throw StoreError(cannot: "write \(path)") }
    }

    private static func make(_ name: String) throws(StoreError) {
        var path = name.hasPrefix("/") ? "" : "."
        for component in name.split(separator: "/") {
            path += "/" + component
            if mkdir(path, 0o700) != 0, errno != EEXIST { throw StoreError(cannot: "make \(path)") }
        }
    }

    private static func check(_ path: String) throws(StoreError) {
        guard let status = status(of: path), status.isDirectory else {
            throw StoreError(reason: "\(path) is not a directory.")
        }
        guard status.isOurs else {
            throw StoreError(reason: "\(path) belongs to uid \(status.st_uid); it must belong to uid \(geteuid()).")
        }
        guard !status.permits(0o022) else {
            throw StoreError(reason: "Others may write to \(path): run `chmod 700 \(path)`.")
        }
    }

    private static func lock(_ path: String) throws(StoreError) -> Int32 {
        let name = path + "/lock"
        let descriptor = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw StoreError(cannot: "open \(name)") }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return descriptor }
        let code = errno
        close(descriptor)
        guard code == EWOULDBLOCK else { throw StoreError(cannot: "lock \(name)", code) }
        throw StoreError(reason: "Another scened keeps its state in \(path): give each its own with --state.")
    }
}
