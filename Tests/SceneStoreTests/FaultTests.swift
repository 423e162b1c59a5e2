import Glibc
import SceneModel
import SessionCore
import Testing

@testable import SceneStore

@Suite(.timeLimit(.minutes(1))) struct FaultTests {
    let directory = TemporaryDirectory()

    private func large(_ sequence: Int) -> Change {
        var record = AccountRecord.sample("large-\(sequence)")
        record.grant.accessToken = Secret([UInt8](repeating: 1, count: 200_000))
        return .sample(sequence, .putAccount(record))
    }

    private func pages(_ open: OpenStore) -> Int {
        guard case .integer(let pages) = open.store.onDatabaseThread({ try? $0.value("PRAGMA page_count") }) else {
            return 0
        }
        return pages
    }

    @Test func aFullDatabaseChangesNothingAndRecovers() throws {
        let open = try OpenStore(directory)
        open.commit(.sample(1))
        let before = try open.store.load()
        try open.execute("PRAGMA max_page_count = \(pages(open) + 2)")
        let results = open.commit([large(2), large(3)])
        #expect(results.allSatisfy { $0.reason.contains("is full") && $0.reason.contains(directory.path) })
        #expect(try open.store.load() == before)
        try open.execute("PRAGMA max_page_count = 1000000")
        #expect(open.commit([large(2), large(3)]).areAllSuccesses)
        #expect(try open.store.load().first?.accounts.count == 2)
    }

    /// A real one, where we may mount one.
    @Test func aFullDiskChangesNothingAndRecovers() throws {
        guard mount("tmpfs", directory.path, "tmpfs", 0, "size=400k,mode=700") == 0 else { return }
        defer { umount2(directory.path, Int32(MNT_DETACH)) }
        let open = try OpenStore(directory)
        #expect(open.commit(.sample(1, .putAccount(.sample()))).isSuccess)
        let before = try open.store.load()
        directory.write("filler", [UInt8](repeating: 0, count: 400_000))
        let result = open.commit(large(2))
        #expect(result.reason.contains("is full"))
        #expect(try open.store.load() == before)
        unlink(directory.path + "/filler")
        #expect(open.commit(.sample(2, .putAccount(.sample("b")))).isSuccess)
        open.store.close()
        #expect(try OpenStore(directory).store.load().first?.accounts == [.sample(), .sample("b")])
    }

    @Test func aReadOnlyDatabaseChangesNothingAndRecovers() throws {
        let open = try OpenStore(directory)
        try open.execute("PRAGMA query_only = ON")
        #expect(open.commit(.sample(1)).reason.contains("read-only"))
        try open.execute("PRAGMA query_only = OFF")
        #expect(try open.store.load() == [])
        #expect(open.commit(.sample(1)).isSuccess)
    }

    @Test func aLockedDatabaseChangesNothingAndRecovers() throws {
        let open = try OpenStore(directory)
        let intruder = try Database(path: directory.path + "/sessions.sqlite")
        try intruder.execute("BEGIN IMMEDIATE")
        #expect(open.commit([.sample(1), .sample(2)]).allSatisfy { $0.reason.contains("locked by another process") })
        try intruder.execute("ROLLBACK")
        #expect(try open.store.load() == [])
        #expect(open.commit([.sample(1), .sample(2)]).areAllSuccesses)
    }

    /// A reader keeps the log from being emptied; it is when the reader is gone.
    @Test func erasingIsMadeUpForAfterAReader() throws {
        let open = try OpenStore(directory)
        open.commit(.sample(1, .putRevocation(.sample())))
        let sealed = open.blob("SELECT refresh_token FROM revocations")
        let reader = try Database(path: directory.path + "/sessions.sqlite")
        try reader.execute("BEGIN")
        _ = try reader.value("SELECT count(*) FROM revocations")
        #expect(open.commit(.sample(2, .removeRevocation(id: "revocation-1"))).isSuccess)
        #expect(directory.files.contains { directory.read($0).contains(sealed) })
        try reader.execute("ROLLBACK")
        open.commit(.sample(3))
        #expect(!directory.files.contains { directory.read($0).contains(sealed) })
    }

    @Test func aDatabaseThatWasMovedAwayTakesNoMore() throws {
        let open = try OpenStore(directory)
        open.commit(.sample(1))
        let path = directory.path + "/sessions.sqlite"
        rename(path, path + ".moved")
        #expect(open.commit(.sample(2)).reason.contains("moved or deleted"))
        rename(path + ".moved", path)
        #expect(open.commit(.sample(2)).isSuccess)
        open.store.close()
        #expect(try OpenStore(directory).store.load().first?.record.sequence == 2)
    }

    /// The second event with a sequence breaks its own change, not the ones that are committed with it.
    @Test func oneBadChangeSinksNoOther() throws {
        let state = try StateDirectory(directory.path)
        let opened = try DatabaseOpening(directory: state, credential: nil).run()
        var writer = ChangeWriter(database: opened.database, sealing: opened.key, path: state.database)
        let other = SessionKey(uid: 1001, app: "Notes")
        let results = writer.commit([
            .sample(1, .putAccount(.sample("a"))),
            .sample(1, .putAccount(.sample("b")), .removeAccount(id: "a")),
            .sample(1...1, key: other, [.putAccount(.sample("c"))]),
        ])
        #expect(results.map(\.isSuccess) == [true, false, true])
        var reader = SessionReader(database: opened.database, sealing: opened.key)
        let sessions = try reader.sessions()
        #expect(sessions.map { $0.accounts.map(\.account.id) } == [["a"], ["c"]])
        #expect(sessions.map(\.history.count) == [1, 1])
    }
}
