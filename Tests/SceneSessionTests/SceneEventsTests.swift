import SceneModel
import TestSupport
import Testing

@testable import SceneSession

@Suite(.timeLimit(.minutes(1))) struct SceneEventsTests {
    /// A loop that nobody reads for long costs no more than its buffer, and is told that it has missed something.
    @Test(arguments: [1023, 1025]) func unreadEvents(_ count: Int) async throws {
        let gate = Gate()
        let events = (2..<2 + count).map { Fixture.userChange($0, to: $0 % 2 == 0 ? Fixture.ada : Fixture.bob) }
        let daemon = try FakeDaemon([
            connectScene: [Fixture.snapshot(1), .awaitGate(gate)] + events,
            listAccounts: [Fixture.accounts(1 + count)],
        ])
        let scene = try await daemon.scene()
        let iterator = scene.events.makeAsyncIterator()
        gate.open()
        _ = try await scene.accounts()
        let first = await iterator.next()
        if count <= 1023 {
            #expect(first?.at.sequence == 1)
            for sequence in 2..<2 + count { #expect(await iterator.next()?.at.sequence == sequence) }
        } else {
            #expect(first?.gap == true)
            #expect(first?.snapshot?.current != nil)
            var last = first
            while let at = last?.at.sequence, at < 1 + count {
                let next = await iterator.next()
                #expect(next?.at.sequence == at + 1)
                last = next
            }
            #expect(last?.current == scene.snapshot.current)
        }
    }

    @Test func eachLoopBeginsWithThePresent() async throws {
        let daemon = try FakeDaemon([
            connectScene: [Fixture.snapshot(1), Fixture.userChange(2, to: Fixture.ada)],
            listAccounts: [Fixture.accounts(2)],
        ])
        let scene = try await daemon.scene()
        _ = try await scene.accounts()
        for _ in 0..<2 {
            let first = await scene.events.makeAsyncIterator().next()
            #expect(first?.kind == .snapshot)
            #expect(first?.at.sequence == 2)
            #expect(first?.scene == "w1")
            #expect(first?.snapshot?.current == Fixture.ada)
        }
    }

    @Test func loopsEndWithTheScene() async throws {
        let daemon = try FakeDaemon([connectScene: [Fixture.snapshot(1)]])
        let scene = try await daemon.scene()
        let tally = Tally()
        let loop = Task { for await event in scene.events { tally.add("\(event.kind)") } }
        await tally.reaches(1)
        scene.close()
        await loop.value
        for await _ in scene.events { tally.add("present") }
        #expect(tally.entries == ["snapshot", "present"])
    }
}
