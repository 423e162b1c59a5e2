import Glibc

/// The database's file and its companions, as files: making them and setting them aside.
struct DatabaseFile {
    let directory: StateDirectory

    private var path: String { directory.database }

    /// The database, and what SQLite keeps beside it. It has a rollback journal only until it has its log, and would
    /// delete one that is left without its database.
    private static let suffixes = ["", "-wal", "-shm", "-journal"]

    /// What SQLite takes for an empty database and overwrites: a log whose database is gone, and a lone byte.
    var isMistakenForEmpty: Bool { size(path) == 1 || (size(path) == 0 && size(path + "-wal") > 0) }

    /// Makes the file where it is not there; its companions take over its mode.
    func create() throws(StoreError) {
        let isNew = status(of: path) == nil
        let file = try File(path, O_RDWR | O_CREAT | O_NONBLOCK)
        let status = file.status
        guard status.isRegularFile, status.isOurs else {
            throw StoreError(reason: "\(path) must be a file that belongs to uid \(geteuid()).")
        }
        if status.permits(0o077), fchmod(file.descriptor, 0o600) != 0 {
            throw StoreError(cannot: "keep \(path) from others")
        }
        if isNew { try directory.synchronize() }
    }

    /// Renames the database and its companions, and tells of it. Nothing is deleted.
    func setAside() throws(StoreError) -> String {
        let name = unusedName()
        for suffix in Self.suffixes where status(of: path + suffix) != nil {
            guard rename(path + suffix, name + suffix) == 0 else {
                throw StoreError(cannot: "set the damaged \(path + suffix) aside")
            }
        }
        try directory.synchronize()
        return "The database was damaged. It is kept as \(name), and a new one was started: "
            + "accounts have to sign in again."
    }

    private func unusedName() -> String {
        let name = path + ".damaged-" + Self.timestamp()
        var candidate = name
        var number = 1
        while Self.suffixes.contains(where: { status(of: candidate + $0) != nil }) {
            number += 1
            candidate = "\(name)-\(number)"
        }
        return candidate
    }

    private func size(_ path: String) -> Int { status(of: path).map { Int($0.st_size) } ?? 0 }

    /// 20261130-081500, in UTC.
    private static func timestamp() -> String {
        var now = time(nil)
        var parts = tm()
        gmtime_r(&now, &parts)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { buffer in
            guard let base = buffer.baseAddress, strftime(base, buffer.count, "%Y%m%d-%H%M%S", &parts) > 0 else {
                return "0"
            }
            return String(cString: base)
        }
    }
}
