/// What waits for something, by its call, in the order in which the calls came. One is found, and leaves, without a look
/// at the others: thousands may wait, and leave at once.
struct CallQueue<Element: Sendable>: Sequence, Sendable {
    private struct Slot: Sendable {
        let call: CallID
        var element: Element
    }

    /// In order; nil where one has left.
    private var slots: [Slot?] = []
    private var places: [CallID: Int] = [:]
    /// The place of the first that is there.
    private var head = 0

    var count: Int { places.count }
    var isEmpty: Bool { places.isEmpty }
    var first: Element? { head < slots.count ? slots[head]?.element : nil }

    subscript(call: CallID) -> Element? {
        get { places[call].flatMap { slots[$0]?.element } }
        set {
            guard let place = places[call] else { return }
            guard let newValue else { return _ = remove(call) }
            slots[place]?.element = newValue
        }
    }

    /// Its place among the others; none is anything else's as long as nobody comes or leaves.
    func place(of call: CallID) -> Int? { places[call] }

    /// A call waits once: what it waited for before is dropped.
    mutating func append(_ element: Element, for call: CallID) {
        remove(call)
        places[call] = slots.count
        slots.append(Slot(call: call, element: element))
    }

    @discardableResult
    mutating func remove(_ call: CallID) -> Element? {
        guard let place = places.removeValue(forKey: call), let slot = slots[place] else { return nil }
        slots[place] = nil
        while head < slots.count, slots[head] == nil { head += 1 }
        // Each moves once for each that has left, on average.
        if slots.count > 2 * count { closeGaps() }
        return slot.element
    }

    private mutating func closeGaps() {
        slots.removeAll { $0 == nil }
        head = 0
        for (place, slot) in slots.enumerated() {
            if let slot { places[slot.call] = place }
        }
    }

    func makeIterator() -> some IteratorProtocol<Element> {
        slots[head...].lazy.compactMap { $0?.element }.makeIterator()
    }
}
