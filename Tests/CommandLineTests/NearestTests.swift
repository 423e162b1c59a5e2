import Testing

@testable import CommandLine

@Suite struct NearestTests {
    @Test(arguments: [("", "", 0), ("a", "", 1), ("json", "jsno", 1), ("status", "staus", 1), ("kitten", "sitting", 3)])
    func countsEdits(_ left: String, _ right: String, _ edits: Int) {
        #expect(Nearest.distance(Array(left), Array(right)) == edits)
    }

    @Test(arguments: [
        ("stat", "status"), ("lgin", "login"), ("LOGIN", "login"), ("swich", "switch"), ("comp", "completion"),
        ("xyzzy", nil),
    ])
    func findsWhatWasMeant(_ word: String, _ expected: String?) {
        #expect(Nearest.to(word, among: ["status", "login", "switch", "completion"]) == expected)
    }

    @Test func aVeryLongWordCostsLittle() {
        #expect(Nearest.to(String(repeating: "x", count: 1_000_000), among: ["status"]) == nil)
    }
}
