import Glibc
import SceneModel
import SessionCore
import Testing

@testable import SceneStore

@Suite(.timeLimit(.minutes(1))) struct DamageTests {
    let directory = TemporaryDirectory()

    private var database: String { directory.path + "/sessions.sqlite" }

    /// The files set aside, without what the name has of the date.
    private var setAside: [String] {
        directory.files.filter { $0.hasPrefix("sessions.sqlite.damaged-") }
    }

    private func fill(_ count: Int = 200) throws {
        let open = try OpenStore(directory)
        #expect(open.commit(.sample(1...count, [.putAccount(.sample())])).isSuccess)
        open.store.close()
    }

    /// Opens what is damaged, and finds a new store that works and a word on what happened.
    private func expectAfresh(_ damaged: [UInt8]) throws {
        let open = try OpenStore(directory)
        #expect(open.store.problems.count == 1)
        let name = try #require(setAside.first { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") })
        #expect(name.dropFirst("sessions.sqlite.damaged-".count).wholeMatch(of: /\d{8}-\d{6}(-\d+)?/) != nil)
        #expect(open.store.problems.first?.contains(name) == true)
        #expect(directory.read(name) == damaged)
        #expect(try open.store.load() == [])
        #expect(open.commit(.sample(1, .putAccount(.sample()))).isSuccess)
        open.store.close()
        let again = try OpenStore(directory)
        #expect(again.store.problems == [])
        #expect(try again.store.load().first?.accounts == [.sample()])
    }

    @Test(arguments: [1, 100, 512, 5000])
    func whatIsNoDatabaseIsSetAside(size: Int) throws {
        let garbage = [UInt8](repeating: 0x2a, count: size)
        directory.write("sessions.sqlite", garbage)
        try expectAfresh(garbage)
    }

    @Test(arguments: [50, 99, 512, 4096, 5000, 20_000, 40_000])
    func aTruncatedDatabaseIsSetAside(size: Int) throws {
        try fill()
        try #require(directory.read("sessions.sqlite").count > 60_000)
        truncate(database, size)
        try expectAfresh(Array(directory.read("sessions.sqlite")))
    }

    /// Everywhere but in the header, where most bytes mean nothing.
    @Test(arguments: [0, 100, 4096, 5 * 4096, 12 * 4096])
    func anOverwrittenPageIsSetAside(offset: Int) throws {
        try fill()
        var bytes = directory.read("sessions.sqlite")
        for index in offset..<min(offset + 2000, bytes.count) { bytes[index] = 0x5a }
        directory.write("sessions.sqlite", bytes)
        try expectAfresh(bytes)
    }

    /// Formats and encodings that do not exist (SQLite's file format, section 1.3): SQLite reports no damage here.
    @Test(arguments: [47, 59])
    func aHeaderThatMakesNoSenseIsSetAside(offset: Int) throws {
        try fill()
        var bytes = directory.read("sessions.sqlite")
        bytes[offset] = 0x5a
        directory.write("sessions.sqlite", bytes)
        try expectAfresh(bytes)
    }

    @Test func damageTwiceInASecondKeepsBoth() throws {
        for byte in [UInt8(1), 2, 3] {
            directory.write("sessions.sqlite", [UInt8](repeating: byte, count: 600))
            _ = try OpenStore(directory)
        }
        #expect(Set(setAside.map { directory.read($0).first }) == [1, 2, 3])
    }

    /// SQLite would throw such a log away.
    @Test(arguments: [true, false])
    func aLogWithoutItsDatabaseIsSetAside(databaseIsEmpty: Bool) throws {
        let open = try OpenStore(directory)
        open.commit(.sample(1, .putAccount(.sample())))
        let crashed = directory.copied()
        let log = crashed.read("sessions.sqlite-wal")
        try #require(!log.isEmpty)
        if databaseIsEmpty {
            crashed.write("sessions.sqlite", [])
        } else {
            unlink(crashed.path + "/sessions.sqlite")
        }
        let reopened = try OpenStore(crashed)
        #expect(reopened.store.problems.count == 1)
        let kept = crashed.files.filter { $0.contains(".damaged-") && $0.hasSuffix("-wal") }
        #expect(kept.map { crashed.read($0) } == [log])
        #expect(reopened.commit(.sample(1)).isSuccess)
    }

    @Test func itsJournalGoesAsideWithADatabase() throws {
        let journal = [UInt8](repeating: 0x4a, count: 600)
        directory.write("sessions.sqlite", [0x2a])
        directory.write("sessions.sqlite-journal", journal)
        #expect(try OpenStore(directory).store.load() == [])
        #expect(setAside.filter { $0.hasSuffix("-journal") }.map { directory.read($0) } == [journal])
    }

    @Test func theLogGoesAsideWithItsDatabase() throws {
        let open = try OpenStore(directory)
        open.commit(.sample(1, .putAccount(.sample())))
        let crashed = directory.copied()
        let log = crashed.read("sessions.sqlite-wal")
        let garbage = [UInt8](repeating: 0x2a, count: 8192)
        crashed.write("sessions.sqlite", garbage)
        #expect(try OpenStore(crashed).store.load() == [])
        let kept = crashed.files.filter { $0.contains(".damaged-") && !$0.hasSuffix("-shm") }
        #expect(kept.map { crashed.read($0) } == [garbage, log])
    }

    @Test func theKeyIsKeptForWhatWasSetAside() throws {
        try fill()
        let key = directory.read("key")
        truncate(database, 5000)
        _ = try OpenStore(directory)
        #expect(directory.read("key") == key)
    }

    @Test(arguments: [Schema.version + 1, 1000, Int(Int32.max)])
    func aNewerSchemaIsLeftAlone(version: Int) throws {
        let open = try OpenStore(directory)
        open.commit(.sample(1...200))
        try open.execute("PRAGMA user_version = \(version)")
        let crashed = directory.copied()
        open.store.close()
        for directory in [directory, crashed] {
            let names = ["key", "sessions.sqlite"] + (directory === crashed ? ["sessions.sqlite-wal"] : [])
            let before = names.map { directory.read($0) }
            let error = #expect(throws: StoreError.self) { _ = try OpenStore(directory) }
            #expect(error?.reason.contains("newer scened") == true)
            #expect(names.map { directory.read($0) } == before)
            #expect(!directory.files.contains { $0.contains("damaged") })
        }
    }

    @Test(arguments: ["PRAGMA application_id = 17", "PRAGMA application_id = 0", "PRAGMA application_id = -1"])
    func anotherProgramsDatabaseIsLeftAlone(sql: String) throws {
        try fill()
        let open = try OpenStore(directory)
        try open.execute(sql)
        open.store.close()
        let before = directory.read("sessions.sqlite")
        let error = #expect(throws: StoreError.self) { _ = try OpenStore(directory) }
        #expect(error?.reason.contains("another program") == true)
        #expect(directory.read("sessions.sqlite") == before)
    }

    /// Versions and tables that do not fit together: of a copy that was put together by hand, say.
    @Test(arguments: [
        ("PRAGMA user_version = 1", "does not belong there"), ("PRAGMA user_version = 2", "announced_login_host"),
        ("ALTER TABLE accounts DROP COLUMN claims", "accounts.claims is missing"),
        ("ALTER TABLE sessions ADD COLUMN mood TEXT", "sessions.mood does not belong there"),
        ("DROP TABLE history", "history is missing"),
    ])
    func tablesOfAnotherVersionAreLeftAlone(sql: String, word: String) throws {
        try fill()
        let open = try OpenStore(directory)
        try open.execute(sql)
        open.store.close()
        let before = directory.read("sessions.sqlite")
        let error = try #require(throws: StoreError.self) { _ = try OpenStore(directory) }
        #expect(error.reason.contains(word) && error.reason.contains("move it away"), "\(error)")
        #expect(directory.read("sessions.sqlite") == before && setAside == [])
        #expect(rename(database, database + ".mine") == 0)
        #expect(try OpenStore(directory).store.load() == [])
    }

    @Test func otherTablesBesideOursAreNoMatter() throws {
        try fill()
        let open = try OpenStore(directory)
        try open.execute("CREATE TABLE notes (text)")
        open.store.close()
        #expect(try OpenStore(directory).store.load().count == 1)
    }

    @Test func tablesThatAreChangedUnderUsAreAnErrorWithARemedy() throws {
        let open = try OpenStore(directory)
        open.commit(.sample(1))
        try open.execute("DROP TABLE history")
        guard case .failure(let error) = open.commit(.sample(2)) else {
            Issue.record("it was committed")
            return
        }
        #expect(error.reason.contains("move it away"), "\(error)")
    }

    /// They would end the process where they are counted up, or taken from another; and its next start as well.
    @Test(arguments: ["attempts", "created", "next_attempt", "generation"], [Int.min, .max])
    func numbersThatCannotBeReckonedWithArePassedOver(column: String, number: Int) throws {
        let open = try OpenStore(directory)
        open.commit(.sample(1, .putAccount(.sample()), .putRevocation(.sample())))
        let table = column == "generation" ? "accounts" : "revocations"
        try open.execute("UPDATE \(table) SET \(column) = \(number)")
        open.store.close()
        let again = try OpenStore(directory)
        let session = try #require(try again.store.load().first)
        #expect(session.accounts.isEmpty == (table == "accounts"))
        #expect(session.revocations.isEmpty == (table == "revocations"))
        #expect(again.store.problems.count == 1)
    }

    @Test func aDirectoryInTheDatabasesPlaceIsAnError() throws {
        mkdir(database, 0o700)
        defer { rmdir(database) }
        #expect(throws: StoreError.self) { _ = try OpenStore(directory) }
    }
}
