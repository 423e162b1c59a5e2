import SceneModel

/// Something to do once, at a time. It lasts until it fires or is cancelled, even if nobody keeps it.
package final class LoopTimer {
    let deadline: Instant
    /// Timers of one deadline fire in the order in which they were set.
    let sequence: UInt64
    /// Its place in the heap; -1 once it has left.
    fileprivate(set) var position = -1
    private var handler: (() -> Void)?
    private weak var loop: EventLoop?

    init(loop: EventLoop, deadline: Instant, sequence: UInt64, handler: @escaping () -> Void) {
        self.loop = loop
        self.deadline = deadline
        self.sequence = sequence
        self.handler = handler
    }

    /// The handler does not run after this. Costs no system call.
    package func cancel() {
        guard handler != nil else { return }
        handler = nil
        loop?.remove(self)
    }

    func fire() {
        guard let handler else { return }
        self.handler = nil
        handler()
    }

    fileprivate func isBefore(_ other: LoopTimer) -> Bool {
        deadline == other.deadline ? sequence < other.sequence : deadline < other.deadline
    }
}

/// A binary heap of timers, the earliest first. Each timer knows its place, so that leaving is cheap.
struct TimerHeap {
    private var timers: [LoopTimer] = []

    var first: LoopTimer? { timers.first }

    mutating func insert(_ timer: LoopTimer) {
        timers.append(timer)
        moveUp(timer, from: timers.count - 1)
    }

    mutating func remove(_ timer: LoopTimer) {
        let position = timer.position
        guard position >= 0, position < timers.count, let last = timers.popLast() else { return }
        timer.position = -1
        guard last !== timer else { return }
        if position > 0, last.isBefore(timers[(position - 1) / 2]) {
            moveUp(last, from: position)
        } else {
            moveDown(last, from: position)
        }
    }

    private mutating func moveUp(_ timer: LoopTimer, from start: Int) {
        var position = start
        while position > 0 {
            let parent = (position - 1) / 2
            guard timer.isBefore(timers[parent]) else { break }
            place(timers[parent], at: position)
            position = parent
        }
        place(timer, at: position)
    }

    private mutating func moveDown(_ timer: LoopTimer, from start: Int) {
        var position = start
        while true {
            var child = 2 * position + 1
            guard child < timers.count else { break }
            if child + 1 < timers.count, timers[child + 1].isBefore(timers[child]) { child += 1 }
            guard timers[child].isBefore(timer) else { break }
            place(timers[child], at: position)
            position = child
        }
        place(timer, at: position)
    }

    private mutating func place(_ timer: LoopTimer, at position: Int) {
        timers[position] = timer
        timer.position = position
    }
}
