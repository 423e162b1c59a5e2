import SceneModel

/// Calls by when their time is up: a binary heap. Who has left stays in it until its turn comes, or it is built anew.
struct Deadlines: Sendable {
    private struct Entry: Comparable, Sendable {
        let deadline: Instant
        let call: CallID

        static func < (left: Entry, right: Entry) -> Bool {
            (left.deadline, left.call.number) < (right.deadline, right.call.number)
        }
    }

    private var heap: [Entry] = []

    var count: Int { heap.count }
    var earliest: (deadline: Instant, call: CallID)? { heap.first.map { ($0.deadline, $0.call) } }

    /// Those of these calls; a sorted array is a heap.
    init(_ calls: some Sequence<(Instant, CallID)> = []) {
        heap = calls.map { Entry(deadline: $0, call: $1) }.sorted()
    }

    mutating func insert(_ call: CallID, deadline: Instant) {
        heap.append(Entry(deadline: deadline, call: call))
        var place = heap.count - 1
        while place > 0, heap[place] < heap[(place - 1) / 2] {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    mutating func removeEarliest() {
        guard let last = heap.popLast(), !heap.isEmpty else { return }
        heap[0] = last
        var place = 0
        while let child = [2 * place + 1, 2 * place + 2].filter({ $0 < heap.count }).min(by: { heap[$0] < heap[$1] }),
            heap[child] < heap[place]
        {
            heap.swapAt(place, child)
            place = child
        }
    }
}
