import LinuxIO
import Testing

@testable import SceneSession

@Suite(.timeLimit(.minutes(1))) struct BlockQueueTests {
    @Test func blocksOfOneThreadRunInOrder() async {
        let tally = Tally()
        for number in 0..<2000 { BlockQueue.add { tally.add("\(number)") } }
        await tally.reaches(2000)
        #expect(tally.entries == (0..<2000).map(String.init))
    }

    @Test func blocksRunOnTheMainActor() async {
        await withCheckedContinuation { continuation in
            BlockQueue.add {
                MainActor.preconditionIsolated()
                continuation.resume()
            }
        }
    }

    @Test func manyThreadsLoseNothing() async {
        let tally = Tally()
        await withTaskGroup { group in
            for thread in 0..<8 {
                group.addTask { for number in 0..<250 { BlockQueue.add { tally.add("\(thread) \(number)") } } }
            }
        }
        await tally.reaches(2000)
        for thread in 0..<8 {
            let own = tally.entries.filter { $0.hasPrefix("\(thread) ") }
            #expect(own == (0..<250).map { "\(thread) \($0)" })
        }
    }

    /// A block shows a dialog, whose own loop runs what comes: later blocks are not before earlier ones.
    @Test func aLoopWithinABlockKeepsTheOrder() async {
        await #expect(processExitsWith: .success) {
            let loop = HandDrivenLoop()
            SceneSession.deliverBlocks { loop.schedule($0) }
            await MainActor.run {
                BlockQueue.add {
                    loop.ran.add("begins")
                    BlockQueue.add { loop.ran.add("later") }
                    loop.turn()
                    loop.ran.add("ends")
                }
                BlockQueue.add { loop.ran.add("earlier") }
                loop.turn()
            }
            #expect(loop.ran.entries == ["begins", "earlier", "later", "ends"])
        }
    }

    /// What was queued before the program said how takes the new way, and comes once.
    @Test func deliveryMayBeSetLate() async {
        await #expect(processExitsWith: .success) {
            let loop = HandDrivenLoop()
            await MainActor.run {
                BlockQueue.add { loop.ran.add("block") }
                SceneSession.deliverBlocks { loop.schedule($0) }
                loop.turn()
                #expect(loop.ran.entries == ["block"])
            }
            await MainActor.run {}
            #expect(loop.ran.entries == ["block"])
        }
    }
}

/// A run loop that turns when it is told to.
private final class HandDrivenLoop: Sendable {
    let ran = Tally()
    private let scheduled = Locked<[@Sendable () -> Void]>([])

    func schedule(_ work: @escaping @Sendable () -> Void) { scheduled.withLock { $0.append(work) } }

    func turn() {
        while let work = scheduled.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { work() }
    }
}
