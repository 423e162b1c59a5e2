import LinuxIO
import SceneModel
import Testing

@testable import SceneSession

@Suite(.timeLimit(.minutes(1))) struct WaitersTests {
    private actor Thread {
        nonisolated let transport: Transport
        nonisolated var unownedExecutor: UnownedSerialExecutor { transport.unownedExecutor }
        let waiters = Waiters<Int>()
        let began = Tally()

        init(_ transport: Transport) { self.transport = transport }

        func wait(until deadline: Instant? = nil) async -> Waited<Int> {
            began.add("began")
            return await waiters.wait(on: transport.loop, until: deadline)
        }

        func resume(_ value: Int) { waiters.resume(returning: value) }
    }

    @Test func givesAllTheValue() async throws {
        let thread = Thread(try Transport())
        async let first = thread.wait()
        async let second = thread.wait()
        await thread.began.reaches(2)
        await thread.resume(7)
        for end in await [first, second] { #expect(end == .value(7)) }
    }

    @Test func endsAtItsTime() async throws {
        let thread = Thread(try Transport())
        #expect(await thread.wait(until: EventLoop.now.boot) == .timedOut)
    }

    @Test func aCancellationEndsItsOwnWait() async throws {
        let thread = Thread(try Transport())
        let cancelled = Task { await thread.wait() }
        await thread.began.reaches(1)
        let other = Task { await thread.wait() }
        await thread.began.reaches(2)
        cancelled.cancel()
        #expect(await cancelled.value == .cancelled)
        await thread.resume(1)
        #expect(await other.value == .value(1))
    }

    @Test func aTaskThatIsCancelledAlreadyDoesNotWait() async throws {
        let thread = Thread(try Transport())
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await thread.wait()
        }
        #expect(await task.value == .cancelled)
    }
}

extension Waited: Equatable where Value: Equatable {
    public static func == (left: Waited, right: Waited) -> Bool {
        switch (left, right) {
        case (.value(let a), .value(let b)): a == b
        case (.cancelled, .cancelled), (.timedOut, .timedOut): true
        default: false
        }
    }
}
