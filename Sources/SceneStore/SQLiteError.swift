import CSQLite

/// A result code of SQLite, told apart by what can be done about it.
struct SQLiteError: Error, Equatable {
    /// The extended result code.
    var code: Int32

    var primaryCode: Int32 { code & 0xff }

    /// The file's content is not what a database holds; no retry helps.
    var isDamage: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }

    /// Never SQLite's own message, which may quote values.
    func told(of path: String) -> StoreError {
        StoreError(reason: reason(path))
    }

    /// For a file that is whole, and does not hold what it should.
    static let remedy =
        "Put a copy from before back; or move it away, and a new one is started: accounts have to sign in again."

    private func reason(_ path: String) -> String {
        switch primaryCode {
        case SQLITE_FULL: "The disk that holds \(path) is full."
        case SQLITE_READONLY where code == csqlite_readonly_moved:
            "\(path) was moved or deleted while in use: put it back, or restart scened."
        case SQLITE_READONLY: "\(path) is read-only."
        case SQLITE_BUSY, SQLITE_LOCKED: "\(path) is locked by another process."
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            "\(path) is damaged: restart scened, which sets it aside and starts a new one."
        case SQLITE_CANTOPEN: "\(path) cannot be opened: check that it and its directory belong to scened's user."
        case SQLITE_PERM, SQLITE_AUTH: "Access to \(path) is not permitted."
        case SQLITE_NOMEM: "There is not enough memory for \(path)."
        case SQLITE_IOERR: "Reading or writing \(path) failed: \(String(cString: sqlite3_errstr(code)))."
        default:
            "\(path) cannot be used (\(String(cString: sqlite3_errstr(code)))): another program may have changed it. "
                + Self.remedy
        }
    }
}
