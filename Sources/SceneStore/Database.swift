import CSQLite

/// A value of one column.
enum Value: Equatable, Sendable {
    case null, integer(Int), text(String), blob([UInt8])

    static func text(orNull text: String?) -> Value { text.map(Value.text) ?? .null }
    static func bool(_ value: Bool) -> Value { .integer(value ? 1 : 0) }
}

/// A connection to one SQLite file. Used by one thread at a time.
final class Database {
    private let handle: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]

    /// Opens the existing file and changes nothing in it.
    init(path: String) throws(SQLiteError) {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            sqlite3_close_v2(handle)
            throw SQLiteError(code: code)
        }
        self.handle = handle
        sqlite3_busy_timeout(handle, 250)
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    /// Sets an option of the connection. sqlite3_db_config
    func set(_ option: Int32, to value: Bool) throws(SQLiteError) {
        try check(csqlite_set_option(handle, option, value ? 1 : 0))
    }

    /// Runs statements that take no values and give no rows. sqlite3_exec
    func execute(_ sql: String) throws(SQLiteError) {
        try check(sqlite3_exec(handle, sql, nil, nil, nil))
    }

    /// Runs one statement to its end; it is prepared once for each text.
    @discardableResult
    func run(_ sql: String, _ values: [Value] = []) throws(SQLiteError) -> [Row] {
        let statement = try prepared(sql)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() { try check(bind(value, to: statement, at: Int32(index + 1))) }
        var rows: [Row] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: rows.append(Row(of: statement))
            case SQLITE_DONE: return rows
            case let code: throw SQLiteError(code: code)
            }
        }
    }

    /// The first column of the first row.
    func value(_ sql: String, _ values: [Value] = []) throws(SQLiteError) -> Value? {
        try run(sql, values).first?.first
    }

    /// False where SQLite has rolled a failed transaction back by itself. sqlite3_get_autocommit
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// A commit to a file that is no longer at its path would be lost with this process.
    var hasMoved: Bool { csqlite_has_moved(handle) != 0 }

    /// Brings the log's content into the file and empties the log. sqlite3_wal_checkpoint_v2
    func truncateLog() throws(SQLiteError) {
        try check(sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil))
    }

    private func prepared(_ sql: String) throws(SQLiteError) -> OpaquePointer {
        if let statement = statements[sql] { return statement }
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
        guard let statement else { throw SQLiteError(code: SQLITE_MISUSE) }
        statements[sql] = statement
        return statement
    }

    private func bind(_ value: Value, to statement: OpaquePointer, at index: Int32) -> Int32 {
        switch value {
        case .null: sqlite3_bind_null(statement, index)
        case .integer(let number): sqlite3_bind_int64(statement, index, Int64(number))
        case .text(var text): text.withUTF8 { csqlite_bind_text(statement, index, $0.baseAddress, $0.count) }
        case .blob(let bytes):
            bytes.withUnsafeBytes { csqlite_bind_blob(statement, index, $0.baseAddress, $0.count) }
        }
    }

    private func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw SQLiteError(code: code) }
    }
}
