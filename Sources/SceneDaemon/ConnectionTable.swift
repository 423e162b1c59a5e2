import SessionCore

/// The connections that are open, each in a slot. A call's number names its connection's slot, so that a call is found
/// without a search.
struct ConnectionTable: Sequence {
    private var slots: [ServedConnection?] = []
    private var free: [Int] = []
    private var lastCall = 0

    private static let slotBits = 24
    /// Of calls that no connection has.
    private static let noSlot = 1 << slotBits - 1

    var count: Int { slots.count - free.count }

    mutating func add(_ served: ServedConnection) {
        served.slot = free.popLast() ?? slots.count
        if served.slot == slots.count { slots.append(served) } else { slots[served.slot] = served }
    }

    mutating func remove(_ served: ServedConnection) {
        slots[served.slot] = nil
        free.append(served.slot)
    }

    /// A number for a call of the connection, or for one that none has.
    mutating func nextCall(of served: ServedConnection?) -> CallID {
        lastCall += 1
        return CallID(lastCall << Self.slotBits | (served?.slot ?? Self.noSlot))
    }

    /// The connection whose call this is, while the call is open.
    subscript(call: CallID) -> ServedConnection? {
        let slot = call.number & Self.noSlot
        guard slot < slots.count, let served = slots[slot], served.call?.id == call else { return nil }
        return served
    }

    func makeIterator() -> some IteratorProtocol<ServedConnection> { slots.lazy.compactMap { $0 }.makeIterator() }
}
