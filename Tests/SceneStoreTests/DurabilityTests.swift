import SceneModel
import SessionCore
import Testing

@testable import SceneStore

@Suite(.timeLimit(.minutes(1))) struct DurabilityTests {
    let directory = TemporaryDirectory()

    private func load(_ directory: TemporaryDirectory) throws -> StoredSession? {
        let open = try OpenStore(directory)
        let sessions = try open.store.load()
        #expect(open.store.problems == [])
        return sessions.first
    }

    /// A machine that stops the moment a change is acknowledged has it.
    @Test func whatIsAcknowledgedIsInTheFiles() throws {
        let open = try OpenStore(directory)
        for sequence in 1...20 {
            #expect(open.commit(.sample(sequence, .putAccount(.sample("a", generation: sequence)))).isSuccess)
            let found = try load(directory.copied())
            #expect(found?.record.sequence == sequence)
            #expect(found?.accounts.first?.grant.generation == sequence)
            #expect(found?.history.count == sequence)
        }
    }

    @Test func copiesTakenDuringABurstHoldAllThatWasAcknowledged() throws {
        let open = try OpenStore(directory)
        let directory = directory
        var acknowledged = 0
        var copies: [(TemporaryDirectory, Int)] = []
        for sequence in 1...200 {
            open.store.commit(.sample(sequence)) { result in
                #expect(result.isSuccess)
                acknowledged = sequence
                if sequence % 20 == 0 { copies.append((directory.copied(), sequence)) }
            }
        }
        while acknowledged < 200 { open.loop.runOnce() }
        for (copy, sequence) in copies {
            #expect(try #require(try load(copy)).record.sequence >= sequence)
        }
    }

    /// A log that ends anywhere, as after a crash in the midst of a write, holds whole changes only.
    @Test func aChangeIsThereWholeOrNotAtAll() throws {
        let open = try OpenStore(directory)
        for sequence in 1...30 {
            open.commit(
                .sample(sequence, .putAccount(.sample("account-\(sequence)")), .putRevocation(.sample("r-\(sequence)")))
            )
        }
        let log = directory.read("sessions.sqlite-wal")
        try #require(log.count > 50_000)
        for step in 0...40 {
            let copy = directory.copied()
            copy.write("sessions.sqlite-wal", Array(log.prefix(log.count * step / 40)))
            let found = try load(copy)
            let sequence = found?.record.sequence ?? 0
            #expect(found?.accounts.count ?? 0 == sequence)
            #expect(found?.revocations.count ?? 0 == sequence)
            #expect(found?.history.count ?? 0 == sequence)
            if step == 40 { #expect(sequence == 30) }
        }
    }

    @Test func closingFinishesWhatIsQueued() throws {
        let open = try OpenStore(directory)
        var completed: [Int] = []
        for sequence in 1...100 {
            open.store.commit(.sample(sequence)) { if $0.isSuccess { completed.append(sequence) } }
        }
        open.store.close()
        #expect(try load(directory)?.record.sequence == 100)
        while completed.count < 100 { open.loop.runOnce() }
        #expect(completed == Array(1...100))
        #expect(!open.commit(.sample(101)).isSuccess)
        #expect(throws: StoreError.self) { try open.store.load() }
        open.store.close()
        #expect(try load(directory)?.record.sequence == 100)
    }

    @Test func aStoreThatIsLetGoFinishesToo() throws {
        for sequence in 1...10 {
            try OpenStore(directory).store.commit(.sample(sequence)) { _ in }
        }
        #expect(try load(directory)?.record.sequence == 10)
    }

    @Test func aBurstIsCommittedInFewTransactions() throws {
        let open = try OpenStore(directory)
        let changes = (1...1000).map { number in
            Change.sample(1...1, key: SessionKey(uid: UInt32(number), app: "Notes"), [.putAccount(.sample())])
        }
        #expect(open.commit(changes).areAllSuccesses)
        #expect(open.store.transactions <= 100)
        #expect(try open.store.load().count == 1000)
    }

    @Test func completionsComeInOrder() throws {
        let open = try OpenStore(directory)
        var order: [Int] = []
        for sequence in 1...300 { open.store.commit(.sample(sequence)) { _ in order.append(sequence) } }
        while order.count < 300 { open.loop.runOnce() }
        #expect(order == Array(1...300))
    }
}
