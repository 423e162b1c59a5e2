import Testing

@testable import SceneDaemon

@Suite struct TurnQueueTests {
    private var queue = TurnQueue<Int>()

    private mutating func append(_ number: Int) -> Bool { queue.append(number) }

    /// All that wait, up to `most`.
    private mutating func serve(_ most: Int = .max) -> [Int] {
        var served: [Int] = []
        while served.count < most, let next = queue.next() { served.append(next) }
        return served
    }

    @Test mutating func firstComeFirstServed() {
        var served: [Int] = []
        for number in 0..<1000 {
            _ = queue.append(number)
            if number % 3 == 0 { served += serve(1) }
        }
        served += serve()
        #expect(served == Array(0..<1000))
    }

    @Test mutating func somebodyIsCalledForOnceUntilAllAreServed() {
        var calls = [append(1), append(2)]
        #expect(serve(1) == [1])
        calls.append(append(3))
        var rests = [queue.rests()]
        #expect(serve() == [2, 3])
        calls.append(append(4))
        #expect(serve() == [4])
        rests.append(queue.rests())
        calls.append(append(5))
        #expect(calls == [true, false, false, false, true])
        #expect(rests == [false, true])
    }
}
