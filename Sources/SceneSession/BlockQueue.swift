import LinuxIO

/// Blocks for the main actor: one after the other, in the order in which they were put here.
enum BlockQueue {
    private struct Waiting {
        var blocks: ArraySlice<@MainActor @Sendable () -> Void> = []
        var isScheduled = false
    }

    private static let waiting = Locked(Waiting())

    static func add(_ block: @escaping @MainActor @Sendable () -> Void) {
        let schedules = waiting.withLock { waiting in
            waiting.blocks.append(block)
            defer { waiting.isScheduled = true }
            return !waiting.isScheduled
        }
        if schedules { schedule() }
    }

    /// There is another way to the main thread now: what waits takes that one.
    static func scheduleAgain() {
        if waiting.withLock({ !$0.blocks.isEmpty }) { schedule() }
    }

    private static func schedule() {
        if let schedule = SceneSession.settings.withLock(\.schedule) {
            schedule { MainActor.assumeIsolated { run() } }
        } else {
            Task { @MainActor in run() }
        }
    }

    /// A block may run a loop of its own, that of a dialog: what comes then is scheduled anew, and what waits here comes
    /// before it.
    @MainActor private static func run() {
        waiting.withLock { $0.isScheduled = false }
        while let block = waiting.withLock({ $0.blocks.popFirst() }) { block() }
    }
}
