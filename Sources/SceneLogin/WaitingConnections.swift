/// The connections of a server that have not asked for anything yet, or not in whole, the oldest first.
///
/// A browser asks at once, so that whoever waits gives way when there are many: idle connections, however many are
/// opened, keep nobody out. Strangers, who will be refused anyway, get only a few places.
struct WaitingConnections<ID: Hashable> {
    private struct Place {
        let id: ID
        let isStranger: Bool
    }

    private let capacity: Int
    private let strangerCapacity: Int
    private var places: [Place] = []

    init(capacity: Int = 48, strangerCapacity: Int = 8) {
        self.capacity = capacity
        self.strangerCapacity = strangerCapacity
    }

    var all: [ID] { places.map(\.id) }

    /// Gives the new connection a place.
    /// - Returns: the connection that has to go for it.
    mutating func opened(_ id: ID, isStranger: Bool) -> ID? {
        places.append(Place(id: id, isStranger: isStranger))
        let oldest =
            if isStranger, places.count(where: \.isStranger) > strangerCapacity {
                places.firstIndex(where: \.isStranger)
            } else if places.count > capacity {
                places.startIndex
            } else {
                nil as Int?
            }
        return oldest.map { places.remove(at: $0).id }
    }

    /// The connection has asked for something, or is gone.
    mutating func left(_ id: ID) {
        places.removeAll { $0.id == id }
    }
}
