import Testing

@testable import SceneDaemon

@Suite struct TallyTests {
    @Test func eachUserHasTheirOwn() {
        var tally = Tally()
        tally.counters(of: 1000)[.calls] += 2
        tally.counters(of: 1001)[.calls] += 3
        tally.lasting(1001).restoredScenes = 4
        #expect(tally.sum(of: 1000)[.calls] == 2 && tally.sum(of: 1000).restoredScenes == 0)
        #expect(tally.sum(of: 1001)[.calls] == 3 && tally.sum(of: 1001).restoredScenes == 4)
        #expect(tally.sum(of: 1002)[.calls] == 0)
        #expect(tally.sum(of: nil)[.calls] == 5 && tally.sum(of: nil).restoredScenes == 4)
    }

    @Test func whoIsGoneCountsForAllTogether() {
        var tally = Tally()
        tally.counters(of: 1000)[.calls] += 2
        tally.lasting(1001)[.calls] += 3
        for uid: UInt32 in [1000, 1001] { tally.left(uid) }
        #expect(tally.sum(of: nil)[.calls] == 5)
        #expect(tally.sum(of: 1000)[.calls] == 0 && tally.sum(of: 1001)[.calls] == 3)
    }
}
