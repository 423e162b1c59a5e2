import Foundation
import Glibc
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

    /// Where the service manager is stuck for long, what it is not told costs no descriptor.
    @Test func whatIsLetGoHoldsNoDescriptor() throws {
        let outbox = Outbox()
        let gate = DispatchSemaphore(value: 0)
        outbox.add { gate.wait() }
        while outbox.add({}) {}
        var pipe: [Int32] = [-1, -1]
        try #require(Glibc.pipe(&pipe) == 0)
        DescriptorStore(telling: outbox).keep(pipe[1], name: "scene")
        close(pipe[1])
        // No copy of the other end is left, so this one is at its end.
        var poll = pollfd(fd: pipe[0], events: Int16(POLLIN), revents: 0)
        #expect(Glibc.poll(&poll, 1, 0) == 1)
        #expect(poll.revents & Int16(POLLHUP) != 0)
        close(pipe[0])
        gate.signal()
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
