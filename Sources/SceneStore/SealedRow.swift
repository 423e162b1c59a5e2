import SceneModel
import SessionCore

/// Seals and opens the cells of one row.
struct SealedRow {
    var sealing: SealingKey
    var table: String
    var session: SessionKey
    var id: String

    func seal(_ secret: Secret?, _ column: String) -> Value {
        guard let secret else { return .null }
        return secret.withBytes { .blob(sealing.seal($0, for: cell(column))) }
    }

    func seal(_ bytes: [UInt8], _ column: String) -> Value {
        bytes.withUnsafeBytes { .blob(sealing.seal($0, for: cell(column))) }
    }

    func open(_ column: String, of row: Row) throws(UnreadableRow) -> Secret {
        guard let secret = sealing.open(try row.blob(column), for: cell(column)) else { throw UnreadableRow() }
        return secret
    }

    func openOrNull(_ column: String, of row: Row) throws(UnreadableRow) -> Secret? {
        row[column] == .null ? nil : try open(column, of: row)
    }

    func open<Content>(
        _ column: String, of row: Row, _ decode: (UnsafeRawBufferPointer) -> Content?
    ) throws(UnreadableRow) -> Content {
        guard let content = try open(column, of: row).withBytes(decode) else { throw UnreadableRow() }
        return content
    }

    private func cell(_ column: String) -> Cell {
        Cell(table: table, column: column, session: session, row: id)
    }
}
