import SceneModel
import Testing

private let second: Int64 = 1_000_000_000

@Suite struct MomentTests {
    @Test(
        arguments: [
            (0, 1, second), (5, -1, 5 - second), (0, Int.max, Int64.max), (0, Int.min, Int64.min),
            (Int64.max, 1, Int64.max), (Int64.max - 1, Int.max, Int64.max), (Int64.min, -1, Int64.min),
            (Int64.min, Int.min, Int64.min), (-1, Int.max, Int64.max - 1),
        ] as [(Int64, Int, Int64)])
    func advancesBySecondsUpToTheEnds(from start: Int64, by seconds: Int, to end: Int64) {
        #expect(Instant(nanoseconds: start).advanced(bySeconds: seconds).nanoseconds == end)
    }

    @Test(
        arguments: [
            (Int64.max, Int64.max, Int64.max), (Int64.min, Int64.min, Int64.min), (Int64.max, Int64.min, -1),
            (1, 2, 3), (Int64.max - 1, 1, Int64.max),
        ] as [(Int64, Int64, Int64)])
    func advancesByNanosecondsUpToTheEnds(from start: Int64, by step: Int64, to end: Int64) {
        #expect(Instant(nanoseconds: start).advanced(byNanoseconds: step).nanoseconds == end)
    }

    @Test(
        arguments: [
            (0, 0, 0), (second, 0, 1), (second - 1, 0, 0), (0, 1, -1), (0, second, -1), (0, second + 1, -2),
            (2 * second, -second, 3),
        ] as [(Int64, Int64, Int)])
    func countsWholeSecondsRoundedDown(at later: Int64, since earlier: Int64, seconds: Int) {
        #expect(Instant(nanoseconds: later).seconds(since: Instant(nanoseconds: earlier)) == seconds)
    }

    @Test func countsBetweenTheEndsWithoutATrap() {
        let first = Instant(nanoseconds: .min)
        let last = Instant(nanoseconds: .max)
        #expect(last.seconds(since: first) > 1 << 60)
        #expect(first.seconds(since: last) < -(1 << 60))
        #expect(first.seconds(since: first) == 0)
        #expect(first.seconds(since: Instant(nanoseconds: 0)) < -9_000_000_000)
    }

    @Test func isOrderedInTime() {
        let early = Instant(nanoseconds: -1)
        #expect(early < early.advanced(bySeconds: 1))
        #expect(early.advanced(bySeconds: .max) <= Instant(nanoseconds: .max))
    }
}
