import CSQLite
import SceneModel
import SessionCore

/// Turns changes into rows. Used by the database's thread alone.
struct ChangeWriter {
    let database: Database
    let sealing: SealingKey
    let path: String
    /// Something was erased, and the log may still show it.
    private(set) var hasErased = false
    /// Of sessions whose history is known to have no other.
    private var epochs: [SessionKey: String] = [:]

    init(database: Database, sealing: SealingKey, path: String) {
        self.database = database
        self.sealing = sealing
        self.path = path
    }

    /// All changes in one transaction, each in a savepoint of its own: one that fails leaves the others be, a commit that fails
    /// fails them all. The results are in the changes' order.
    mutating func commit(_ changes: [Change]) -> [Result<Void, StoreError>] {
        var results: [Result<Void, StoreError>] = []
        var isWhole = false
        do throws(SQLiteError) {
            if database.hasMoved { throw SQLiteError(code: csqlite_readonly_moved) }
            try database.execute("BEGIN IMMEDIATE")
            for change in changes { results.append(try saved(change)) }
            isWhole = true
            try database.execute("COMMIT")
            eraseFromLog()
            return results
        } catch {
            if database.isInTransaction { try? database.execute("ROLLBACK") }
            epochs = [:]
            if isWhole { overwriteInLog() }
            let failure = error.told(of: path)
            return changes.indices.map { index in
                if index < results.count, case .failure(let own) = results[index] { return .failure(own) }
                return .failure(failure)
            }
        }
    }

    /// A transaction whose commit failed when it was synchronized is in the log all the same, and would be taken for committed
    /// after a crash: one that changes nothing is written in its place. Where that fails too, the next one is.
    private func overwriteInLog() {
        // A row that stays as it is would not be written.
        try? database.execute("PRAGMA user_version = \(Schema.version)")
    }

    /// Throws only where the whole transaction is lost.
    private mutating func saved(_ change: Change) throws(SQLiteError) -> Result<Void, StoreError> {
        do {
            try database.execute("SAVEPOINT change")
            try write(change)
            try database.execute("RELEASE change")
            return .success(())
        } catch {
            epochs[change.key] = nil
            guard database.isInTransaction else { throw error }
            try database.execute("ROLLBACK TO change; RELEASE change")
            return .failure(error.told(of: path))
        }
    }

    /// Erased rows are overwritten in the file (secure_delete); what the log still has of them goes with the log. A log that
    /// cannot be emptied now is emptied after a later commit, or when the database is opened next.
    private mutating func eraseFromLog() {
        guard hasErased else { return }
        hasErased = (try? database.truncateLog()) == nil
    }

    private mutating func write(_ change: Change) throws(SQLiteError) {
        try write(change.session, of: change.key)
        for operation in change.operations { try write(operation, of: change.key) }
        try append(change.events, to: change.key, change.session)
    }

    private func write(_ record: SessionRecord, of session: SessionKey) throws(SQLiteError) {
        try put(
            "sessions", session, nil,
            [
                ("epoch", .text(record.epoch)),
                ("sequence", .integer(record.sequence)),
                ("current", .text(orNull: record.current)),
                ("selection_pending", .bool(record.selectionPending)),
                ("login_pending", .bool(record.loginPending)),
                ("locked", .bool(record.locked)),
                ("login_under_way", .bool(record.loginUnderWay)),
                ("selected_login_host", .text(orNull: record.selectedLoginHost)),
                ("announced_login_host", .text(orNull: record.announcedLoginHost)),
            ])
    }

    private mutating func write(_ operation: Change.Operation, of session: SessionKey) throws(SQLiteError) {
        switch operation {
        case .putAccount(let record):
            let row = SealedRow(sealing: sealing, table: "accounts", session: session, id: record.account.id)
            try put("accounts", session, ("id", row.id), AccountTable.columns(record, row))
        case .removeAccount(let id):
            try erase("accounts", session, ("id", id))
        case .putRevocation(let record):
            let row = SealedRow(sealing: sealing, table: "revocations", session: session, id: record.id)
            try put("revocations", session, ("id", row.id), RevocationTable.columns(record, row))
        case .removeRevocation(let id):
            try erase("revocations", session, ("id", id))
        case .putLogoutRemote(let sequence, let remote):
            try database.run(
                "UPDATE history SET remote = ? WHERE uid = ? AND app = ? AND sequence = ?",
                [.text(remote.rawValue)] + values(session, nil) + [.integer(sequence)])
        case .putLoginHost(let url, let label):
            try put("login_hosts", session, ("url", url), [("label", .text(label))])
        case .removeLoginHost(let url):
            try remove("login_hosts", session, ("url", url))
        }
    }

    /// Appends, and drops what a new epoch or the limit leaves behind.
    private mutating func append(
        _ events: [Event], to session: SessionKey, _ record: SessionRecord
    ) throws(SQLiteError) {
        let key: [Value] = [.integer(Int(session.uid)), .text(session.app)]
        // Looks at all of the session's history.
        if epochs[session] != record.epoch {
            let others = "DELETE FROM history WHERE uid = ? AND app = ? AND epoch <> ?"
            try database.run(others, key + [.text(record.epoch)])
            epochs[session] = record.epoch
        }
        for event in events.suffix(historyLimit) {
            let row = HistoryTable.row(session, event.at, sealing)
            try database.run(
                "INSERT INTO history (uid, app, sequence, epoch, event) VALUES (?, ?, ?, ?, ?)",
                key + [.integer(event.at.sequence), .text(event.at.epoch), row.seal(encode(event), "event")])
        }
        let (oldest, overflow) = record.sequence.subtractingReportingOverflow(historyLimit)
        guard !overflow, !events.isEmpty else { return }
        try database.run("DELETE FROM history WHERE uid = ? AND app = ? AND sequence <= ?", key + [.integer(oldest)])
    }
}

extension ChangeWriter {
    private typealias Key = (column: String, value: String)

    /// Inserts the row or, where it is there, updates it in its place.
    private func put(
        _ table: String, _ session: SessionKey, _ key: Key?, _ columns: [(String, Value)]
    ) throws(SQLiteError) {
        let keys = ["uid", "app"] + (key.map { [$0.column] } ?? [])
        let names = keys + columns.map(\.0)
        let updates = columns.map { "\($0.0) = excluded.\($0.0)" }
        try database.run(
            """
            INSERT INTO \(table) (\(names.joined(separator: ", "))) \
            VALUES (\(names.map { _ in "?" }.joined(separator: ", "))) \
            ON CONFLICT (\(keys.joined(separator: ", "))) DO UPDATE SET \(updates.joined(separator: ", "))
            """,
            values(session, key) + columns.map(\.1))
    }

    private func remove(_ table: String, _ session: SessionKey, _ key: Key) throws(SQLiteError) {
        try database.run(
            "DELETE FROM \(table) WHERE uid = ? AND app = ? AND \(key.column) = ?", values(session, key))
    }

    private mutating func erase(_ table: String, _ session: SessionKey, _ key: Key) throws(SQLiteError) {
        try remove(table, session, key)
        hasErased = true
    }

    private func values(_ session: SessionKey, _ key: Key?) -> [Value] {
        [.integer(Int(session.uid)), .text(session.app)] + (key.map { [.text($0.value)] } ?? [])
    }
}
