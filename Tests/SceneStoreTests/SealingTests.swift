import SceneModel
import SessionCore
import Testing

@testable import SceneStore

@Suite(.timeLimit(.minutes(1))) struct SealingTests {
    let directory = TemporaryDirectory()

    private static let other = SessionKey(uid: 1001, app: "Notes")

    private func filled() throws -> OpenStore {
        let open = try OpenStore(directory)
        let operations: [Change.Operation] = [
            .putAccount(.sample("a")), .putAccount(.sample("b")), .putRevocation(.sample("r")),
            .putRevocation(.sample("s")),
        ]
        #expect(
            open.commit([.sample(1...2, operations), .sample(1...2, key: Self.other, operations)]).areAllSuccesses)
        return open
    }

    struct Forgery: CustomTestStringConvertible {
        var sql: String
        /// How many of the four accounts, four revocations and four events are left out.
        var unreadable: Int
        var testDescription: String { sql }
    }

    @Test(arguments: [
        Forgery(
            sql: """
                UPDATE accounts SET access_token = (SELECT access_token FROM accounts WHERE uid = 1000 AND id = 'b')
                WHERE uid = 1000 AND id = 'a'
                """, unreadable: 1),
        Forgery(sql: "UPDATE accounts SET access_token = refresh_token, refresh_token = access_token", unreadable: 4),
        Forgery(sql: "UPDATE accounts SET id_token = access_token WHERE id = 'a'", unreadable: 2),
        Forgery(sql: "UPDATE accounts SET claims = account WHERE uid = 1000", unreadable: 2),
        Forgery(sql: "UPDATE accounts SET id = 'c' WHERE uid = 1000 AND id = 'a'", unreadable: 1),
        Forgery(sql: "UPDATE accounts SET uid = 1000, id = 'c' WHERE uid = 1001 AND id = 'a'", unreadable: 1),
        Forgery(
            sql: """
                UPDATE accounts SET access_token = (
                    SELECT access_token FROM accounts AS other
                    WHERE other.uid <> accounts.uid AND other.id = accounts.id)
                WHERE uid = 1000
                """, unreadable: 2),
        Forgery(
            sql: """
                UPDATE revocations SET refresh_token = (SELECT refresh_token FROM accounts WHERE uid = 1000 AND id = 'a')
                WHERE uid = 1000 AND id = 'r'
                """, unreadable: 1),
        Forgery(sql: "UPDATE revocations SET id = 't' WHERE id = 's'", unreadable: 2),
        Forgery(sql: "UPDATE accounts SET account = x''", unreadable: 4),
        Forgery(
            sql: "UPDATE accounts SET account = substr(account, 1, length(account) - 1) WHERE id = 'a'", unreadable: 2),
        Forgery(
            sql: "UPDATE accounts SET account = CAST(x'02' || substr(account, 2) AS BLOB) WHERE id = 'a'", unreadable: 2
        ),
        Forgery(sql: "UPDATE accounts SET boot_id = NULL WHERE id = 'a'", unreadable: 2),
        Forgery(sql: "UPDATE history SET event = x'00' WHERE uid = 1000", unreadable: 2),
    ])
    func whatWasTamperedWithIsPassedOver(forgery: Forgery) throws {
        let open = try filled()
        try open.execute(forgery.sql)
        let sessions = try open.store.load()
        let read = sessions.map { $0.accounts.count + $0.revocations.count + $0.history.count }.reduce(0, +)
        #expect(read == 12 - forgery.unreadable)
        #expect(open.store.problems.count == forgery.unreadable)
        #expect(open.store.problems.allSatisfy { $0.contains("left in the database") && $0.contains("Notes") })
        // Told once, however often it is read.
        _ = try open.store.load()
        #expect(open.store.problems.count == forgery.unreadable)
        // Nothing was deleted.
        let rows = open.store.onDatabaseThread { database in
            try? database.value(
                "SELECT (SELECT count(*) FROM accounts) + (SELECT count(*) FROM revocations) + (SELECT count(*) FROM history)"
            )
        }
        #expect(rows == .integer(12))
    }

    @Test func aUserIsToldOfTheirOwnRowsOnly() throws {
        let open = try OpenStore(directory)
        for uid: UInt32 in [1000, 1001] {
            open.commit(.sample(1...1, key: SessionKey(uid: uid, app: "Notes"), [.putAccount(.sample())]))
        }
        try open.execute("UPDATE accounts SET claims = x'00'")
        _ = try open.store.load()
        #expect(open.store.problems.count == 2 && open.store.problems(of: nil).count == 2)
        #expect(open.store.problems(of: 1000).count == 1 && open.store.problems(of: 1002).isEmpty)
        #expect(open.store.problems(of: 1001).allSatisfy { $0.contains("uid 1001") })
    }

    @Test func problemsAreNotWithoutEnd() throws {
        let open = try OpenStore(directory)
        open.commit(.sample(1...1000))
        try open.execute("UPDATE history SET event = x'00'")
        #expect(try open.store.load().first?.history == [])
        #expect(open.store.problems.count == 101)
    }

    @Test func partsOfACellsPlaceDoNotRunTogether() throws {
        let key = try SealingKey.random()
        let first = Cell(table: "accounts", column: "account", session: SessionKey(uid: 1, app: "ab"), row: "c")
        let second = Cell(table: "accounts", column: "account", session: SessionKey(uid: 1, app: "a"), row: "bc")
        let sealed = [1, 2, 3].withUnsafeBytes { key.seal($0, for: first) }
        #expect(key.open(sealed, for: first) != nil)
        #expect(key.open(sealed, for: second) == nil)
        #expect(try SealingKey.random().open(sealed, for: first) == nil)
    }

    @Test func everyBitCounts() throws {
        let key = try SealingKey.random()
        let cell = Cell(table: "accounts", column: "account", session: .notes, row: "a")
        let sealed = Array("token".utf8).withUnsafeBytes { key.seal($0, for: cell) }
        #expect(key.open(sealed, for: cell)?.text == "token")
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(key.open(changed, for: cell) == nil)
            #expect(key.open(Array(sealed.prefix(index)), for: cell) == nil)
        }
    }
}
