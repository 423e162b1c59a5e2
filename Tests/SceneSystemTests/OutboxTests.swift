import Foundation
import Testing

@testable import SceneSystem

@Suite(.timeLimit(.minutes(1))) struct OutboxTests {
    @Test func flushingWaitsForWhatWasAdded() {
        let outbox = Outbox()
        let written = Written()
        for number in 0..<100 { outbox.add { written.add(number) } }
        outbox.flush(seconds: 20)
        #expect(written.numbers == Array(0..<100))
    }

    /// A reader that is stuck costs no more than the time given, and no less is waited for it.
    @Test func flushingEndsInTime() {
        let outbox = Outbox()
        let gate = DispatchSemaphore(value: 0)
        outbox.add { gate.wait() }
        let began = ContinuousClock.now
        outbox.flush(seconds: 1)
        let passed = ContinuousClock.now - began
        gate.signal()
        #expect(passed >= .milliseconds(999))
    }
}

private final class Written: @unchecked Sendable {
    private let lock = NSLock()
    private var all: [Int] = []

    var numbers: [Int] { lock.withLock { all } }

    func add(_ number: Int) { lock.withLock { all.append(number) } }
}
