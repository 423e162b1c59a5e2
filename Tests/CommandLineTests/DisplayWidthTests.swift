import CommandLine
import Testing

@Suite struct DisplayWidthTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("東京", 4), ("e\u{301}", 1), ("한국", 4), ("\u{1112}\u{1161}\u{11ab}", 2), ("ｱ", 1),
        ("Ａ", 2), ("🙂", 2), ("👩\u{200d}💻", 2), ("👍🏽", 2), ("🇩🇪", 2), ("क\u{94d}\u{200d}ष", 2), ("مرحبا", 5),
        ("…", 1), ("\u{200d}", 0),
    ])
    func countsColumns(_ text: String, _ width: Int) {
        #expect(text.displayWidth == width)
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("東京都", 5, "東京…"), ("東京都", 4, "東…"), ("abc", 1, "…"),
        ("abc", 0, ""), ("abc", -1, ""),
    ])
    func cutsAtColumns(_ text: String, _ columns: Int, _ shown: String) {
        #expect(text.shortened(to: columns) == shown)
    }
}
