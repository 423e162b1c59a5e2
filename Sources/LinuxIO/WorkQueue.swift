import CLinux
import Glibc

/// What other threads, and Swift's concurrency runtime, want done on the loop's thread; first in, first out.
final class WorkQueue: Sendable {
    enum Work: Sendable {
        case job(UnownedJob)
        case block(@Sendable () -> Void)
    }

    private struct State {
        var work: [Work] = []
        /// The loop sleeps, or is about to; it is to be woken.
        var isWaiting = false
    }

    private let state = Locked(State())
    private let wakeup: OwnedDescriptor

    init() throws(SystemError) {
        wakeup = try OwnedDescriptor(
            eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)), from: "eventfd")
    }

    /// Readable when the loop is to wake.
    var raw: Int32 { wakeup.raw }

    func append(_ work: Work) {
        let wakes = state.withLock { state in
            state.work.append(work)
            defer { state.isWaiting = false }
            return state.isWaiting
        }
        if wakes { eventfd_write(wakeup.raw, 1) }
    }

    /// Whether there is nothing to do, so that the loop may sleep until it is woken.
    func prepareToWait() -> Bool {
        state.withLock { state in
            state.isWaiting = state.work.isEmpty
            return state.isWaiting
        }
    }

    func woken() {
        var count: eventfd_t = 0
        eventfd_read(wakeup.raw, &count)
    }

    /// Exchanges the waiting work for an empty array, whose storage is used again.
    func take(into batch: inout [Work]) {
        state.withLock { state in
            state.isWaiting = false
            swap(&state.work, &batch)
        }
    }
}
