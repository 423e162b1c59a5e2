import SceneModel
import SessionCore

/// What could not be read, and of which Unix user it is, where that is known and it is not of all.
struct ReadingProblem: Equatable, Sendable {
    var text: String
    var uid: UInt32?
}

/// Turns rows into sessions. A row that does not open stays where it is, is left out, and is named.
struct SessionReader {
    let database: Database
    let sealing: SealingKey
    private(set) var problems: [ReadingProblem] = []
    private static let problemLimit = 100

    init(database: Database, sealing: SealingKey) {
        self.database = database
        self.sealing = sealing
    }

    mutating func sessions() throws(SQLiteError) -> [StoredSession] {
        var sessions: [StoredSession] = []
        for row in try database.run("SELECT * FROM sessions ORDER BY uid, app") {
            if let session = try session(row) { sessions.append(session) }
        }
        return sessions
    }

    private mutating func session(_ row: Row) throws(SQLiteError) -> StoredSession? {
        guard let (key, record) = try? Self.facts(row) else {
            report("A session's row")
            return nil
        }
        var stored = StoredSession(
            key: key, record: record,
            accounts: try accounts(key),
            loginHosts: try loginHosts(key, selected: record.selectedLoginHost),
            revocations: try revocations(key))
        try readHistory(into: &stored)
        if case .null = row["login_under_way"] {
            let newest = stored.history.last { $0.kind == .loginStarted || $0.kind == .loginEnded }
            stored.record.loginUnderWay = newest?.kind == .loginStarted
        }
        return stored
    }

    private static func facts(_ row: Row) throws(UnreadableRow) -> (SessionKey, SessionRecord) {
        guard let uid = UInt32(exactly: try row.int("uid")) else { throw UnreadableRow() }
        let record = SessionRecord(
            epoch: try row.text("epoch"), sequence: try row.int("sequence"), current: try row.textOrNull("current"),
            selectionPending: try row.bool("selection_pending"), loginPending: try row.bool("login_pending"),
            locked: try row.bool("locked"), loginUnderWay: (try? row.bool("login_under_way")) ?? false,
            selectedLoginHost: try row.textOrNull("selected_login_host"),
            announcedLoginHost: try row.textOrNull("announced_login_host"))
        return (SessionKey(uid: uid, app: try row.text("app")), record)
    }

    private mutating func accounts(_ session: SessionKey) throws(SQLiteError) -> [AccountRecord] {
        var records: [AccountRecord] = []
        for row in try rows("accounts", session) {
            let id = (try? row.text("id")) ?? ""
            let sealed = SealedRow(sealing: sealing, table: "accounts", session: session, id: id)
            do {
                records.append(try AccountTable.record(row, sealed))
            } catch {
                report("The account \(id)", of: session)
            }
        }
        return records
    }

    private mutating func revocations(_ session: SessionKey) throws(SQLiteError) -> [RevocationRecord] {
        var records: [RevocationRecord] = []
        for row in try rows("revocations", session) {
            let id = (try? row.text("id")) ?? ""
            let sealed = SealedRow(sealing: sealing, table: "revocations", session: session, id: id)
            do {
                records.append(try RevocationTable.record(row, sealed))
            } catch {
                report("The revocation \(id)", of: session)
            }
        }
        return records
    }

    private mutating func loginHosts(
        _ session: SessionKey, selected: String?
    ) throws(SQLiteError) -> [LoginHost] {
        var hosts: [LoginHost] = []
        for row in try rows("login_hosts", session) {
            do {
                let url = try row.text("url")
                let label = try row.text("label")
                hosts.append(
                    LoginHost(url: url, label: label, origin: .user, selected: url == selected, removable: true))
            } catch {
                report("A login host", of: session)
            }
        }
        return hosts
    }

    private mutating func readHistory(into stored: inout StoredSession) throws(SQLiteError) {
        let session = stored.key
        var events: [Event] = []
        for row in try rows("history", session, order: "sequence") {
            do {
                let event = try HistoryTable.event(row, session, sealing)
                events.append(event)
                stored.logoutRemotes[event.at.sequence] = try HistoryTable.remote(row)
            } catch {
                let sequence = (try? row.int("sequence")) ?? 0
                report("Event \(sequence)", of: session)
            }
        }
        let end = Cursor(epoch: stored.record.epoch, sequence: stored.record.sequence)
        stored.history = HistoryTable.unbroken(events, upTo: end)
    }

    private func rows(
        _ table: String, _ session: SessionKey, order: String = "number"
    ) throws(SQLiteError) -> [Row] {
        try database.run(
            "SELECT * FROM \(table) WHERE uid = ? AND app = ? ORDER BY \(order)",
            [.integer(Int(session.uid)), .text(session.app)])
    }

    private mutating func report(_ what: String, of session: SessionKey? = nil) {
        let whose = session.map { " of app \($0.app) (uid \($0.uid))" } ?? ""
        if problems.count < Self.problemLimit {
            let text = "\(what)\(whose) cannot be read. It is left in the database, and passed over."
            problems.append(ReadingProblem(text: text, uid: session?.uid))
        } else if problems.count == Self.problemLimit {
            let text = "More of the database cannot be read. It is left there, and passed over."
            problems.append(ReadingProblem(text: text))
        }
    }
}
