import Glibc
import SceneModel
import Testing

@testable import LinuxIO

@Suite(.timeLimit(.minutes(1))) struct EventLoopTests {
    @Test func workFromOtherThreadsRunsInOrderOnTheLoopsThread() async throws {
        let thread = try LoopThread()
        let loop = thread.loop
        let seen = Locked<[Int]>([])
        for number in 0..<1000 {
            loop.enqueue {
                loop.checkIsolated()
                seen.withLock { $0.append(number) }
            }
        }
        await withCheckedContinuation { continuation in
            loop.enqueue { continuation.resume() }
        }
        #expect(seen.withLock { $0 } == Array(0..<1000))
        thread.finish()
    }

    @Test func workThatEnqueuesItselfForEverStarvesNoSocket() throws {
        let loop = try EventLoop()
        let (near, far) = try socketPair()
        defer {
            close(near)
            close(far)
        }
        let isOver = Locked(false)
        @Sendable func again() {
            if !isOver.withLock({ $0 }) { loop.enqueue { again() } }
        }
        again()
        let watch = try loop.watch(near, .readable) { _ in
            isOver.withLock { $0 = true }
            loop.stop()
        }
        #expect(write(far, "x", 1) == 1)
        run(loop)
        watch.cancel()
    }

    @Test func stopBeforeRunEndsTheFirstTurn() throws {
        let loop = try EventLoop()
        loop.stop()
        run(loop)
    }

    @Test func twoLoopsDoNotShareAThread() async throws {
        let (first, second) = (try LoopThread(), try LoopThread())
        let answers = await withCheckedContinuation { continuation in
            let (a, b) = (first.loop, second.loop)
            a.enqueue {
                let onFirst = a.isIsolatingCurrentContext() == true && b.isIsolatingCurrentContext() == false
                b.enqueue {
                    continuation.resume(returning: (onFirst, b.isIsolatingCurrentContext() == true))
                }
            }
        }
        #expect(answers == (true, true))
        first.finish()
        second.finish()
    }

    @Test func aLoopThatNobodyNeedsIsGone() throws {
        weak var gone: EventLoop?
        let (watch, timer): (Watch, LoopTimer)
        let (near, far) = try socketPair()
        do {
            let loop = try EventLoop()
            gone = loop
            watch = try loop.watch(near, .readable) { _ in }
            timer = loop.schedule(at: Instant(nanoseconds: .max)) {}
            settle(loop)
        }
        #expect(gone == nil)
        watch.update(.writable)
        watch.cancel()
        timer.cancel()
        close(near)
        close(far)
    }

    @Test func clocksGoOn() {
        let first = EventLoop.now
        let second = EventLoop.now
        #expect(first.boot <= second.boot && first.boot.nanoseconds > 0)
        #expect(abs(first.wall - time(nil)) <= 1)
        #expect(EventLoop.bootID().utf8.count == 36)
    }
}

/// As the daemon's actor is made.
private actor Counter {
    nonisolated let loop: EventLoop
    private(set) var count = 0
    private var watch: Watch?

    init(loop: EventLoop) { self.loop = loop }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Whether each step of an asynchronous function was on the loop's thread.
    func hop() async -> [Bool] {
        var onLoop = [loop.isIsolatingCurrentContext() == true]
        for _ in 0..<100 {
            await Self.elsewhere()
            onLoop.append(loop.isIsolatingCurrentContext() == true)
        }
        return onLoop
    }

    @concurrent private static func elsewhere() async {
        await Task.yield()
    }

    /// A handler in this actor's isolation, without `await`.
    func countReadable(_ descriptor: Int32, then: @escaping @Sendable (Int) -> Void) throws {
        watch = try loop.watch(descriptor, .readable) { [self] _ in
            count += 1
            assumeIsolated { $0.count += 1 }
            watch?.cancel()
            then(count)
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct ExecutorTests {
    @Test func anActorOfTheLoopRunsOnItsThread() async throws {
        let thread = try LoopThread()
        let counter = Counter(loop: thread.loop)
        let onLoop = await counter.hop()
        #expect(onLoop == Array(repeating: true, count: 101))
        thread.finish()
    }

    @Test func aHandlerIsInTheActorsIsolation() async throws {
        let thread = try LoopThread()
        let counter = Counter(loop: thread.loop)
        let (near, far) = try socketPair()
        let count = try await withCheckedThrowingContinuation { continuation in
            Task {
                do {
                    try await counter.countReadable(near) { continuation.resume(returning: $0) }
                    #expect(write(far, "x", 1) == 1)
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
        #expect(count == 2)
        thread.finish()
        close(near)
        close(far)
    }
}
