import CLinux
import Glibc
import SceneModel
import Synchronization

/// One thread, one epoll: sockets, timers, signals and work from other threads, each handled on the loop's thread.
///
/// A turn takes a batch of ready descriptors and calls their handlers directly, then due timers, then what was enqueued.
/// Handlers may cancel, close and add watches and timers at will. The loop is also a serial executor: an actor that
/// names it as its own runs on the loop's thread, and its isolation may be assumed in every handler.
///
/// Everything but `enqueue` and `stop` belongs to the loop's thread: the one that calls `run`, or, before that, the one
/// that made the loop.
package final class EventLoop: @unchecked Sendable {
    private static let batch = 256

    /// Where every socket's bytes are received into; valid for one handler at a time.
    let receiveBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: batch)
    private let thread: Atomic<UInt>
    private let queue: WorkQueue
    private var work: [WorkQueue.Work] = []
    private var watches: WatchTable
    private var timers: TimerQueue
    private var lastSteps: [() -> Void] = []
    private var signals: [SignalSource] = []
    private var isStopped = false
    /// How many turns have begun.
    package private(set) var turns = 0

    package init() throws(SystemError) {
        thread = Atomic(UInt(pthread_self()))
        queue = try WorkQueue()
        watches = try WatchTable()
        timers = try TimerQueue()
        _ = try watch(queue.raw, .readable) { [unowned self] _ in queue.woken() }
        _ = try watch(timers.raw, .readable) { [unowned self] _ in timers.expired() }
    }

    deinit {
        receiveBuffer.deallocate()
        events.deallocate()
    }

    // MARK: Running

    /// Runs on the calling thread until `stop`.
    package func run() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        while !isStopped { turn() }
        isStopped = false
    }

    /// Ends `run` after the current turn. From any thread.
    package func stop() {
        enqueue { [self] in isStopped = true }
    }

    private func turn() {
        turns += 1
        timers.arm()
        let sleeps = queue.prepareToWait() && lastSteps.isEmpty
        let count = epoll_wait(watches.raw, events, Int32(Self.batch), sleeps ? -1 : 0)
        for index in 0..<Int(max(count, 0)) {
            let event = events[index]
            watches.find(event.data.u64)?.ready(Readiness(events: event.events))
        }
        for timer in timers.takeDue() { timer.fire() }
        performWork()
        performLastSteps()
    }

    private func performWork() {
        queue.take(into: &work)
        for item in work {
            switch item {
            case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
            case .block(let block): block()
            }
        }
        work.removeAll(keepingCapacity: true)
    }

    private func performLastSteps() {
        guard !lastSteps.isEmpty else { return }
        let due = lastSteps
        lastSteps = []
        for step in due { step() }
    }

    // MARK: What the loop is asked for

    /// Runs `work` on the loop's thread, in the order of enqueueing. From any thread.
    package func enqueue(_ work: @escaping @Sendable () -> Void) {
        queue.append(.block(work))
    }

    /// Calls `handler` whenever the descriptor is ready for what `interest` says, or has hung up.
    package func watch(
        _ descriptor: Int32, _ interest: Readiness, _ handler: @escaping (Readiness) -> Void
    ) throws(SystemError) -> Watch {
        let watch = Watch(
            loop: self, descriptor: descriptor, generation: watches.nextGeneration(), interest: interest,
            handler: handler)
        let abandoned = try watches.add(watch, interest)
        abandoned?.abandon()
        return watch
    }

    /// Calls `handler` once, when CLOCK_BOOTTIME shows `deadline`; never within this call, even where it is past.
    @discardableResult
    package func schedule(at deadline: Instant, _ handler: @escaping () -> Void) -> LoopTimer {
        let timer = LoopTimer(loop: self, deadline: deadline, sequence: timers.nextSequence(), handler: handler)
        timers.insert(timer)
        return timer
    }

    /// Blocks the signals in this thread, and in those that it starts from here on, and calls `handler` for each.
    /// Call before other threads exist: a signal goes to any thread that does not block it.
    package func onSignals(_ signals: [Int32], _ handler: @escaping (Int32) -> Void) throws(SystemError) {
        let source = try SignalSource(signals)
        _ = try watch(source.raw, .readable) { _ in source.drain(handler) }
        self.signals.append(source)
    }

    /// Runs `step` at the end of the turn, when no handler is on the stack. What a step asks for comes at the end of
    /// the next turn: whatever is ready by then is handled in between.
    package func atEndOfTurn(_ step: @escaping () -> Void) {
        lastSteps.append(step)
    }

    // MARK: What watches and timers ask for

    func modify(_ watch: Watch, _ interest: Readiness) { watches.modify(watch, interest) }
    func remove(_ watch: Watch) { watches.remove(watch) }
    func forget(_ watch: Watch) { watches.forget(watch) }
    func remove(_ timer: LoopTimer) { timers.remove(timer) }
}

extension EventLoop: SerialExecutor {
    package func enqueue(_ job: consuming ExecutorJob) {
        queue.append(.job(UnownedJob(job)))
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    package func checkIsolated() {
        precondition(isIsolatingCurrentContext() == true, "not on the event loop's thread")
    }

    package func isIsolatingCurrentContext() -> Bool? {
        thread.load(ordering: .relaxed) == UInt(pthread_self())
    }
}
