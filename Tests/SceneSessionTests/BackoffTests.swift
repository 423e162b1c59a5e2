import Testing

@testable import SceneSession

@Suite struct BackoffTests {
    @Test func pausesGrowToTheirLimit() {
        var backoff = Backoff()
        for attempt in 0..<200 {
            let ceiling = attempt < 7 ? 20 << attempt : 2000
            #expect((ceiling / 2...ceiling).contains(backoff.next()), "attempt \(attempt)")
        }
        backoff.reset()
        #expect((10...20).contains(backoff.next()))
    }

    /// Or else all clients of a machine would come back in one instant.
    @Test func pausesDiffer() {
        let pauses = (0..<64).map { _ in
            var backoff = Backoff()
            for _ in 0..<8 { _ = backoff.next() }
            return backoff.next()
        }
        #expect(Set(pauses).count > 1)
    }
}
