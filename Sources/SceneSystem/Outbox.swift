import Glibc

/// A thread that writes to the service manager and to the journal, so that nobody waits for either: both are sockets
/// that block while their reader is stuck.
package final class Outbox: @unchecked Sendable {
    /// The journal's, or what stands for it.
    package static let journal = Outbox()
    package static let serviceManager = Outbox()

    /// What waits, at most; more is let go, the newest first.
    private static let limit = 4096

    private var lock = pthread_mutex_t()
    private var changed = pthread_cond_t()
    private var waiting: [@Sendable () -> Void] = []
    /// Being written now.
    private var underWay = 0
    private var hasThread = false

    package init() {
        pthread_mutex_init(&lock, nil)
        // Nobody waits longer or shorter where the wall clock is set.
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(&changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    /// Does the work in the order in which it comes, on the outbox's thread. False: too much waits, and it is let go.
    @discardableResult
    package func add(_ work: @escaping @Sendable () -> Void) -> Bool {
        pthread_mutex_lock(&lock)
        defer { pthread_mutex_unlock(&lock) }
        guard waiting.count < Self.limit else { return false }
        waiting.append(work)
        if !hasThread { hasThread = start() }
        pthread_cond_broadcast(&changed)
        return true
    }

    /// Waits until all that was added is written, for so many seconds at most.
    package func flush(seconds: Int) {
        var deadline = timespec()
        clock_gettime(CLOCK_MONOTONIC, &deadline)
        deadline.tv_sec += seconds
        pthread_mutex_lock(&lock)
        defer { pthread_mutex_unlock(&lock) }
        while !waiting.isEmpty || underWay > 0 {
            guard pthread_cond_timedwait(&changed, &lock, &deadline) == 0 else { return }
        }
    }

    /// The process's signals are none of this thread's.
    private func start() -> Bool {
        var all = sigset_t()
        var former = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        var thread = pthread_t()
        // The thread never ends, and what it waits for must not go before it.
        let me = Unmanaged.passRetained(self)
        let status = pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<Outbox>.fromOpaque(argument).takeUnretainedValue().run() }
                return nil
            }, me.toOpaque())
        guard status == 0 else {
            me.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    private func run() {
        while true {
            pthread_mutex_lock(&lock)
            underWay = 0
            if waiting.isEmpty { pthread_cond_broadcast(&changed) }
            while waiting.isEmpty { pthread_cond_wait(&changed, &lock) }
            let due = waiting
            waiting = []
            underWay = due.count
            pthread_mutex_unlock(&lock)
            for work in due { work() }
        }
    }
}
