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
}
