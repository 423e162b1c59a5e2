/// Changes that wait for their turn: a thousand may, and each moves once.
struct IntentQueue: Sequence, Sendable {
    /// In order; nil where one was taken.
    private var slots: [Intent?] = []
    private var start = 0

    var isEmpty: Bool { start == slots.count }

    var first: Intent? { isEmpty ? nil : slots[start] }

    mutating func append(_ intent: Intent) { slots.append(intent) }

    mutating func popFirst() -> Intent? {
        guard !isEmpty else { return nil }
        let intent = slots[start]
        slots[start] = nil
        start += 1
        if 2 * start >= slots.count {
            slots.removeFirst(start)
            start = 0
        }
        return intent
    }

    func makeIterator() -> some IteratorProtocol<Intent> { slots[start...].lazy.compactMap { $0 }.makeIterator() }
}
