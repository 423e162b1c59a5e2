import Glibc
import SceneModel
import SessionCore
import Testing

@testable import SceneStore

@Suite(.timeLimit(.minutes(1))) struct KillTests {
    /// A process that is killed on hearing of a change, with others on their way to the disk, has lost none that it
    /// heard of, and no part of any other.
    @Test(arguments: [1, 2, 7, 20, 55, 150, 299])
    func whatAKilledProcessHeardOfIsThere(killedAt: Int) async throws {
        let directory = TemporaryDirectory()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = directory.path as String, killedAt] in
            let loop = TestLoop()
            let store = try Store(directory: path, credential: nil, enqueue: loop.enqueue)
            var heardOf = 0
            for sequence in 1...400 {
                store.commit(.sample(sequence, .putAccount(.sample("a-\(sequence)")))) { result in
                    guard result.isSuccess else { exit(1) }
                    heardOf = sequence
                    if sequence == killedAt { kill(getpid(), SIGKILL) }
                }
                while sequence - heardOf > 40 { loop.runOnce() }
            }
        }
        let open = try OpenStore(directory)
        let session = try #require(try open.store.load().first)
        #expect(session.record.sequence >= killedAt)
        #expect(session.accounts.map(\.account.id) == (1...session.record.sequence).map { "a-\($0)" })
        #expect(session.history.map(\.at.sequence) == Array(1...session.record.sequence))
        #expect(open.store.problems == [])
    }
}
