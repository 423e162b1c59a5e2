import Testing

@testable import SceneCommands

@Suite struct ElapsedTests {
    @Test(arguments: [
        (0, "0 s"), (-5, "0 s"), (59, "59 s"), (60, "1 min"), (61, "1 min 1 s"), (3_600, "1 h"), (3_605, "1 h 5 s"),
        (90_061, "1 d 1 h"), (Int.max, "106751991167300 d 15 h"), (Int.min, "0 s"),
    ])
    func showsTheTwoLargestUnits(_ seconds: Int, _ text: String) {
        #expect(Elapsed.text(seconds: seconds) == text)
    }

    @Test(arguments: [(0, "0:00"), (9, "0:09"), (61, "1:01"), (3_600, "60:00"), (-1, "0:00")])
    func showsAStopwatch(_ seconds: Int, _ text: String) {
        #expect(Elapsed.clock(seconds: seconds) == text)
    }
}
