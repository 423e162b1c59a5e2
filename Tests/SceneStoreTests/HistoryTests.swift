import SceneModel
import SessionCore
import Testing

@testable import SceneStore

@Suite(.timeLimit(.minutes(1))) struct HistoryTests {
    let directory = TemporaryDirectory()

    private func sequences(_ open: OpenStore) throws -> [Int] {
        try #require(try open.store.load().first).history.map(\.at.sequence)
    }

    @Test(arguments: [[1...1024], [1...1025], [1...2000], [1...1000, 1001...1100], [1...5, 6...1029, 1030...3000]])
    func theNewestAreKept(changes: [ClosedRange<Int>]) throws {
        let open = try OpenStore(directory)
        open.commit(changes.map { .sample($0) })
        let last = try #require(changes.last).upperBound
        #expect(try sequences(open) == Array(max(1, last - 1023)...last))
        #expect(open.store.onDatabaseThread { try? $0.value("SELECT count(*) FROM history") } == .integer(1024))
    }

    @Test func otherSessionsKeepTheirs() throws {
        let open = try OpenStore(directory)
        let other = SessionKey(uid: 1001, app: "Notes")
        open.commit([.sample(1...10, key: other), .sample(1...2000)])
        #expect(try open.store.load().map(\.history.count) == [1024, 10])
    }

    @Test func whatFollowsTheLastHoleIsKept() throws {
        let open = try OpenStore(directory)
        open.commit(.sample(1...20))
        try open.execute("DELETE FROM history WHERE sequence IN (3, 11)")
        #expect(try sequences(open) == Array(12...20))
        #expect(open.store.problems == [])
    }

    @Test func anEventThatDoesNotOpenIsAHole() throws {
        let open = try OpenStore(directory)
        open.commit(.sample(1...20))
        try open.execute("UPDATE history SET event = zeroblob(100) WHERE sequence = 15")
        #expect(try sequences(open) == Array(16...20))
        #expect(open.store.problems.count == 1)
        #expect(open.store.problems.first?.contains("15") == true)
        #expect(open.store.onDatabaseThread { try? $0.value("SELECT count(*) FROM history") } == .integer(20))
        // The next event goes on from there.
        open.commit(.sample(21))
        #expect(try sequences(open) == Array(16...21))
    }

    @Test func aHoleAtTheEndLeavesNothing() throws {
        let open = try OpenStore(directory)
        open.commit(.sample(1...20))
        try open.execute("DELETE FROM history WHERE sequence = 20")
        #expect(try sequences(open) == [])
    }

    @Test func eventsThatChangedPlacesDoNotOpen() throws {
        let open = try OpenStore(directory)
        open.commit(.sample(1...3))
        try open.execute("UPDATE history SET event = (SELECT event FROM history WHERE sequence = 1) WHERE sequence = 3")
        #expect(try sequences(open) == [])
        #expect(open.store.problems.count == 1)
    }

    @Test func aNewEpochStartsAnew() throws {
        let open = try OpenStore(directory)
        open.commit(.sample(1...20))
        open.commit(.sample(5...6, epoch: "epoch-2"))
        let session = try #require(try open.store.load().first)
        #expect(session.record.epoch == "epoch-2")
        #expect(
            session.history.map(\.at) == [Cursor(epoch: "epoch-2", sequence: 5), Cursor(epoch: "epoch-2", sequence: 6)])
    }

    @Test func anEpochThatWasRefusedOnceStartsAnewAllTheSame() throws {
        let open = try OpenStore(directory)
        open.commit(.sample(1...20))
        var twice = Change.sample(5...6, epoch: "epoch-2")
        twice.events += twice.events
        #expect(!open.commit(twice).isSuccess)
        #expect(try sequences(open) == Array(1...20))
        #expect(open.commit(.sample(5...6, epoch: "epoch-2")).isSuccess)
        #expect(open.store.onDatabaseThread { try? $0.value("SELECT count(*) FROM history") } == .integer(2))
    }

    @Test func aChangeWithoutEventsLeavesHistoryBe() throws {
        let open = try OpenStore(directory)
        open.commit(.sample(1...20))
        var change = Change.sample(20, .putAccount(.sample()))
        change.events = []
        open.commit(change)
        #expect(try sequences(open) == Array(1...20))
    }
}
