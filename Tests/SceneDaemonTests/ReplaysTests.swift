import SceneModel
import SceneProtocol
import SessionCore
import Testing
import Varlink

@testable import SceneDaemon

@Suite struct ReplaysTests {
    private func event(_ sequence: Int, reason: String = "") -> Event {
        var event = Event(.loginEnded, at: Cursor(epoch: "e", sequence: sequence))
        event.reason = reason
        return event
    }

    private func messages(_ events: some Sequence<Event>) -> [UInt8] {
        events.flatMap { VarlinkMessage.reply(ConnectScene.Reply(event: $0), continues: true) }
    }

    /// Wherever a scene begins, it gets what comes behind, once and in order, however many have asked before.
    @Test func everybodyGetsWhatTheyMissed() {
        let events = (1...300).map { event($0) }
        let history = History(events)
        var replays = Replays()
        for start in [0, 1, 31, 32, 33, 150, 298, 299, 0] {
            var (position, received, writes) = (start, [UInt8](), 0)
            while position < 300 {
                guard let piece = replays.piece(after: position, upTo: 300, of: history), piece.last > position else {
                    Issue.record("nothing comes after \(position)")
                    break
                }
                (position, received, writes) = (piece.last, received + piece.bytes, writes + 1)
            }
            #expect(received == messages(events[start...]) && writes <= (300 - start) / 32 + 2)
        }
    }

    @Test func aPieceIsNoLargerThanNeeded() {
        let events = (1...100).map { event($0, reason: String(repeating: "x", count: 10_000)) }
        var replays = Replays()
        let history = History(events)
        let piece = replays.piece(after: 0, upTo: 100, of: history)
        #expect(piece?.last == 2 && piece?.bytes == messages(events[..<2]))
    }

    @Test func whatTheHistoryNoLongerHasIsNotThere() {
        var replays = Replays()
        let history = History((1...(historyLimit + 10)).map { event($0) })
        #expect(replays.piece(after: 9, upTo: historyLimit + 10, of: history) == nil)
        #expect(replays.piece(after: 10, upTo: historyLimit + 10, of: history)?.last == 32)
    }

    /// What comes later is another piece.
    @Test func aHistoryMayGrow() {
        var replays = Replays()
        let (short, history) = (History((1...5).map { event($0) }), History((1...40).map { event($0) }))
        #expect(replays.piece(after: 3, upTo: 5, of: short)?.last == 5)
        #expect(replays.piece(after: 3, upTo: 40, of: history)?.last == 5)
        #expect(replays.piece(after: 5, upTo: 40, of: history)?.last == 32)
    }
}
