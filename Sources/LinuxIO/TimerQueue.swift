import CLinux
import Glibc
import SceneModel

/// The loop's timers and the one timerfd on CLOCK_BOOTTIME that wakes it for them.
struct TimerQueue: ~Copyable {
    private let descriptor: OwnedDescriptor
    private var heap = TimerHeap()
    private var lastSequence: UInt64 = 0
    /// When the timerfd is set to expire; nil once it has.
    private var armed: Instant?

    init() throws(SystemError) {
        descriptor = try OwnedDescriptor(
            timerfd_create(CLOCK_BOOTTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK)), from: "timerfd_create")
    }

    var raw: Int32 { descriptor.raw }

    mutating func nextSequence() -> UInt64 {
        lastSequence += 1
        return lastSequence
    }

    mutating func insert(_ timer: LoopTimer) { heap.insert(timer) }

    mutating func remove(_ timer: LoopTimer) { heap.remove(timer) }

    /// Sets the timerfd for the earliest timer. Where it is set for an earlier, cancelled one, waking once in vain is
    /// cheaper than setting it anew for each cancellation.
    mutating func arm() {
        guard let first = heap.first, armed.map({ first.deadline < $0 }) ?? true else { return }
        armed = first.deadline
        // A time of zero would disarm; anything past expires at once.
        let (seconds, nanoseconds) = max(first.deadline.nanoseconds, 1).quotientAndRemainder(dividingBy: 1_000_000_000)
        var time = itimerspec()
        time.it_value = timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds))
        timerfd_settime(descriptor.raw, Int32(TFD_TIMER_ABSTIME), &time, nil)
    }

    /// The timerfd has expired.
    mutating func expired() {
        var count: UInt64 = 0
        _ = read(descriptor.raw, &count, MemoryLayout<UInt64>.size)
        armed = nil
    }

    /// Takes out the timers that are due, in order. What their handlers set for now has its turn after the sockets.
    mutating func takeDue() -> [LoopTimer] {
        guard let first = heap.first, armed == nil else { return [] }
        let now = EventLoop.read(CLOCK_BOOTTIME)
        guard first.deadline <= now else { return [] }
        var due: [LoopTimer] = []
        while let timer = heap.first, timer.deadline <= now {
            heap.remove(timer)
            due.append(timer)
        }
        return due
    }
}
