import SceneModel

/// The calls that wait for a user, in the order in which they came. One is found by its call, and those of a scene are
/// known to be there or not, without a look at the others: thousands may wait, and come and go one by one.
struct Waiters: Sequence, Sendable {
    /// In order; nil where one has left.
    private var slots: [Waiter?] = []
    private var places: [CallID: Int] = [:]
    /// How many wait for each scene.
    private var scenes: [String: Int] = [:]
    /// No waiter's time is up before. Exact after `refreshDeadline`.
    private(set) var deadline: Instant?

    var count: Int { places.count }
    var isEmpty: Bool { places.isEmpty }

    func isWaiting(scene: String) -> Bool { scenes[scene] != nil }

    subscript(call: CallID) -> Waiter? {
        get { places[call].flatMap { slots[$0] } }
        set {
            guard let place = places[call] else { return }
            guard let newValue else { return remove(call) }
            slots[place] = newValue
        }
    }

    mutating func append(_ waiter: Waiter) {
        remove(waiter.caller.call)
        places[waiter.caller.call] = slots.count
        slots.append(waiter)
        if let scene = waiter.caller.scene { scenes[scene, default: 0] += 1 }
        deadline = Swift.min(deadline ?? waiter.deadline, waiter.deadline)
    }

    mutating func remove(_ call: CallID) {
        guard let place = places.removeValue(forKey: call), let waiter = slots[place] else { return }
        slots[place] = nil
        if let scene = waiter.caller.scene, let count = scenes[scene] { scenes[scene] = count > 1 ? count - 1 : nil }
        if isEmpty { deadline = nil }
        // Each moves once for each that has left, on average.
        if slots.count > 2 * count { closeGaps() }
    }

    /// The earliest has left, or had its time.
    mutating func refreshDeadline() {
        deadline = lazy.map(\.deadline).min()
    }

    private mutating func closeGaps() {
        slots = slots.filter { $0 != nil }
        for (place, waiter) in slots.enumerated() {
            if let waiter { places[waiter.caller.call] = place }
        }
    }

    func makeIterator() -> some IteratorProtocol<Waiter> { slots.lazy.compactMap { $0 }.makeIterator() }
}
