import SceneModel

/// The calls that wait for a user, in the order in which they came. One is found by its call, those of a scene by that,
/// and those whose time is up, without a look at the others.
struct Waiters: Sequence, Sendable {
    private var queue = CallQueue<Waiter>()
    private var scenes: [String: Set<CallID>] = [:]
    private var deadlines = Deadlines()

    var count: Int { queue.count }
    var isEmpty: Bool { queue.isEmpty }
    /// When the first one's time is up.
    var deadline: Instant? { deadlines.earliest?.deadline }

    subscript(call: CallID) -> Waiter? {
        get { queue[call] }
        set {
            if newValue == nil { remove(call) } else { queue[call] = newValue }
        }
    }

    /// In their order.
    func of(scene: String) -> [Waiter] {
        let calls = scenes[scene, default: []].sorted { (queue.place(of: $0) ?? 0) < (queue.place(of: $1) ?? 0) }
        return calls.compactMap { queue[$0] }
    }

    mutating func append(_ waiter: Waiter) {
        let call = waiter.caller.call
        remove(call)
        queue.append(waiter, for: call)
        deadlines.insert(call, deadline: waiter.deadline)
        if let scene = waiter.caller.scene { scenes[scene, default: []].insert(call) }
    }

    mutating func remove(_ call: CallID) {
        guard let waiter = queue.remove(call) else { return }
        if let scene = waiter.caller.scene {
            scenes[scene]?.remove(call)
            if scenes[scene]?.isEmpty == true { scenes[scene] = nil }
        }
        if deadlines.count > 2 * count { deadlines = Deadlines(queue.map { ($0.deadline, $0.caller.call) }) }
        while let earliest = deadlines.earliest, queue[earliest.call] == nil { deadlines.removeEarliest() }
    }

    /// Takes out those whose time is up.
    mutating func takeLate(_ now: Instant) -> [Waiter] {
        var late: [Waiter] = []
        while let earliest = deadlines.earliest, earliest.deadline <= now, let waiter = queue[earliest.call] {
            late.append(waiter)
            remove(earliest.call)
        }
        return late
    }

    func makeIterator() -> some IteratorProtocol<Waiter> { queue.makeIterator() }
}
