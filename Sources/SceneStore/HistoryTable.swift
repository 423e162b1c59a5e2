import SceneModel
import SessionCore

/// The newest events of each session. Sealed: the event, which names accounts.
enum HistoryTable {
    static func row(_ session: SessionKey, _ place: Cursor, _ sealing: SealingKey) -> SealedRow {
        SealedRow(sealing: sealing, table: "history", session: session, id: "\(place.sequence) \(place.epoch)")
    }

    static func event(_ columns: Row, _ session: SessionKey, _ sealing: SealingKey) throws(UnreadableRow) -> Event {
        let place = Cursor(epoch: try columns.text("epoch"), sequence: try columns.int("sequence"))
        let event = try row(session, place, sealing).open("event", of: columns, decodeEvent)
        guard event.at == place else { throw UnreadableRow() }
        return event
    }

    static func remote(_ columns: Row) throws(UnreadableRow) -> LogoutResult.Remote? {
        try columns.textOrNull("remote").flatMap(LogoutResult.Remote.init)
    }

    /// What follows the last hole up to `end`; nothing where the end itself is missing. `events` are in order.
    static func unbroken(_ events: [Event], upTo end: Cursor) -> [Event] {
        var expected = end.sequence
        var start = events.endIndex
        for event in events.reversed() {
            guard event.at == Cursor(epoch: end.epoch, sequence: expected), events.endIndex - start < historyLimit
            else { break }
            start -= 1
            expected = expected.subtractingReportingOverflow(1).partialValue
        }
        return Array(events[start...])
    }
}
