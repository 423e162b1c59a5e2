import SceneModel
import Testing

@testable import SceneSession

@Suite(.timeLimit(.minutes(1))) struct EventBufferTests {
    private func event(_ sequence: Int) -> Event { Event(.currentUserChanged, at: Fixture.at(sequence)) }

    @Test func keepsOrder() async {
        let buffer = EventBuffer(first: event(0))
        for sequence in 1..<100 { buffer.add(event(sequence), orInstead: Snapshot()) }
        for sequence in 0..<100 { #expect(await buffer.next()?.at.sequence == sequence) }
    }

    /// Nobody reads: what no longer fits is made up for by the present.
    @Test func anUnreadHistoryBecomesASnapshot() async {
        let buffer = EventBuffer(first: event(0))
        for sequence in 1..<1024 { buffer.add(event(sequence), orInstead: Snapshot()) }
        var present = Snapshot()
        present.current = Fixture.ada
        buffer.add(event(1024), orInstead: present)
        buffer.add(event(1025), orInstead: Snapshot())
        let gap = await buffer.next()
        #expect(gap?.kind == .snapshot)
        #expect(gap?.gap == true)
        #expect(gap?.at.sequence == 1024)
        #expect(gap?.snapshot == present)
        #expect(await buffer.next()?.at.sequence == 1025)
    }

    @Test func endsAfterWhatWasThere() async {
        let buffer = EventBuffer(first: event(0))
        buffer.finish()
        #expect(await buffer.next() != nil)
        #expect(await buffer.next() == nil)
        #expect(await buffer.next() == nil)
    }

    @Test func wakesWhoWaits() async {
        let buffer = EventBuffer(first: event(0))
        _ = await buffer.next()
        async let next = buffer.next()
        buffer.add(event(1), orInstead: Snapshot())
        buffer.wake()
        #expect(await next?.at.sequence == 1)
    }

    @Test func aCancelledTaskWaitsNoLonger() async {
        let buffer = EventBuffer(first: event(0))
        _ = await buffer.next()
        let task = Task { await buffer.next() }
        task.cancel()
        #expect(await task.value == nil)
        // And the next one gets what comes.
        buffer.add(event(1), orInstead: Snapshot())
        #expect(await buffer.next()?.at.sequence == 1)
    }
}
