import SceneModel

/// The newest events of a session, in order and without holes.
package struct History: Sendable {
    private var events: [Event] = []
    /// Index of the oldest event once the ring is full.
    private var start = 0

    package init(_ events: [Event] = []) {
        for event in events.suffix(historyLimit) { append(event) }
    }

    package var count: Int { events.count }

    /// The sequence of the oldest event kept.
    package var oldest: Int? { events.isEmpty ? nil : events[start].at.sequence }

    mutating func append(_ event: Event) {
        if events.count < historyLimit {
            events.append(event)
        } else {
            events[start] = event
            start = (start + 1) % historyLimit
        }
    }

    /// The event with this sequence, where it is kept.
    package subscript(sequence: Int) -> Event? {
        guard let oldest, sequence >= oldest, sequence - oldest < events.count else { return nil }
        return events[(start + sequence - oldest) % events.count]
    }

    /// Newest first.
    func last(where matches: (Event) -> Bool) -> Event? {
        for offset in stride(from: events.count - 1, through: 0, by: -1) {
            let event = events[(start + offset) % events.count]
            if matches(event) { return event }
        }
        return nil
    }

    /// Whether all that came after `sequence` is kept, `newest` being the session's last.
    func continues(after sequence: Int, newest: Int) -> Bool {
        guard sequence >= 0, sequence <= newest else { return false }
        if sequence == newest { return true }
        guard let oldest else { return false }
        return sequence >= oldest - 1
    }
}
