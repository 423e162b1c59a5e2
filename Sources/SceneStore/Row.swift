import CSQLite

/// A row's content is not what its table is meant to hold.
struct UnreadableRow: Error {}

/// One row of an answer, by the names of its columns.
struct Row: Sendable {
    private let names: [String]
    private let values: [Value]

    init(of statement: OpaquePointer) {
        let columns = 0..<sqlite3_column_count(statement)
        names = columns.map { sqlite3_column_name(statement, $0).map { String(cString: $0) } ?? "" }
        values = columns.map { Self.value(statement, $0) }
    }

    var first: Value? { values.first }

    subscript(name: String) -> Value {
        names.firstIndex(of: name).map { values[$0] } ?? .null
    }

    func int(_ name: String) throws(UnreadableRow) -> Int {
        guard case .integer(let number) = self[name] else { throw UnreadableRow() }
        return number
    }

    /// One that can be counted up, or taken from another, without an overflow.
    func count(_ name: String) throws(UnreadableRow) -> Int {
        let number = try int(name)
        guard (-1 << 62...1 << 62).contains(number) else { throw UnreadableRow() }
        return number
    }

    func bool(_ name: String) throws(UnreadableRow) -> Bool { try int(name) != 0 }

    func text(_ name: String) throws(UnreadableRow) -> String {
        guard case .text(let text) = self[name] else { throw UnreadableRow() }
        return text
    }

    func textOrNull(_ name: String) throws(UnreadableRow) -> String? {
        self[name] == .null ? nil : try text(name)
    }

    func blob(_ name: String) throws(UnreadableRow) -> [UInt8] {
        guard case .blob(let bytes) = self[name] else { throw UnreadableRow() }
        return bytes
    }

    func blobOrNull(_ name: String) throws(UnreadableRow) -> [UInt8]? {
        self[name] == .null ? nil : try blob(name)
    }

    private static func value(_ statement: OpaquePointer, _ column: Int32) -> Value {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: .integer(Int(sqlite3_column_int64(statement, column)))
        case SQLITE_TEXT: .text(String(decoding: bytes(statement, column), as: UTF8.self))
        case SQLITE_BLOB: .blob([UInt8](bytes(statement, column)))
        default: .null
        }
    }

    private static func bytes(_ statement: OpaquePointer, _ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(statement, column)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
    }
}
