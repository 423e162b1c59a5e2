import SceneModel
import Testing

@testable import SessionCore

@Suite struct HistoryTests {
    private func history(_ count: Int, from first: Int = 1) -> History {
        var history = History()
        for sequence in first..<(first + count) {
            history.append(Event(.loginStarted, at: Cursor(epoch: "epoch", sequence: sequence)))
        }
        return history
    }

    @Test(
        arguments: [
            (0, nil), (1, 1), (1023, 1), (1024, 1), (1025, 2), (2048, 1025), (2049, 1026), (5000, 3977),
        ] as [(Int, Int?)])
    func keepsTheNewest(count: Int, oldest: Int?) {
        let history = history(count)
        #expect(history.count == min(count, historyLimit))
        #expect(history.oldest == oldest)
        guard let oldest else { return #expect(history[1] == nil) }
        for sequence in oldest...count { #expect(history[sequence]?.at.sequence == sequence) }
        #expect(history[oldest - 1] == nil)
        #expect(history[count + 1] == nil)
        #expect(history.last { _ in true }?.at.sequence == count)
    }

    @Test func findsTheNewestThatMatches() {
        let history = history(1500)
        #expect(history.last { $0.at.sequence.isMultiple(of: 100) }?.at.sequence == 1500)
        #expect(history.last { $0.at.sequence == 477 }?.at.sequence == 477)
        #expect(history.last { $0.at.sequence == 476 } == nil)
    }

    @Test(arguments: [
        (1023, 0, true), (1024, 0, true), (1025, 0, false), (1025, 1, true), (1025, 1025, true), (1025, 1026, false),
        (1025, -1, false), (0, 0, true), (0, 1, false), (10, .max, false), (10, .min, false),
    ])
    func tellsWhetherItContinues(count: Int, after: Int, expected: Bool) {
        #expect(history(count).continues(after: after, newest: count) == expected)
    }

    @Test func whatTheStoreLostIsNotContinued() {
        // Only 6 to 10 are kept of 10.
        let history = history(5, from: 6)
        #expect(!history.continues(after: 4, newest: 10))
        #expect(history.continues(after: 5, newest: 10))
        #expect(!History().continues(after: 9, newest: 10))
        #expect(History().continues(after: 10, newest: 10))
    }

    @Test func isRestoredInOrder() {
        let events = (1...2000).map { Event(.locked, at: Cursor(epoch: "epoch", sequence: $0)) }
        let history = History(events)
        #expect(history.count == historyLimit)
        #expect(history.oldest == 977)
        #expect(history[2000]?.at.sequence == 2000)
    }
}
