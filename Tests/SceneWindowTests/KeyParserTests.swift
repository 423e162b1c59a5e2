import Testing

@testable import SceneWindow

struct KeyParserTests {
    private func keys(_ chunks: String...) -> [Key] {
        var parser = KeyParser()
        return chunks.flatMap { parser.received(Array($0.utf8)) }
    }

    @Test func readsLettersAndEnter() {
        #expect(keys("q1\r\n") == [.character("q"), .character("1"), .enter, .enter])
    }

    @Test(arguments: ["\u{1b}[A", "\u{1b}OA"])
    func readsArrowsInBothModes(_ up: String) {
        #expect(keys(up) == [.up])
        #expect(keys("\u{1b}[B\u{1b}OB") == [.down, .down])
    }

    @Test func joinsASequenceThatComesInPieces() {
        #expect(keys("\u{1b}", "[", "A", "x") == [.up, .character("x")])
    }

    @Test func takesALoneEscapeForTheKeyOnceNothingFollows() {
        var parser = KeyParser()
        #expect(parser.received([0x1B]) == [])
        #expect(parser.isWaiting)
        #expect(parser.timedOut() == [.escape])
        #expect(!parser.isWaiting)
        #expect(parser.received(Array("q".utf8)) == [.character("q")])
    }

    @Test(arguments: ["\u{1b}[1;5A", "\u{1b}[3~", "\u{1b}[<0;3;4M", "\u{1b}OP", "\u{1b}o", "\u{9}", "é", "\u{0}"])
    func doesNotTakeOtherKeysForCommands(_ text: String) {
        #expect(keys(text + "q") == [.character("q")])
    }

    @Test func ignoresWhatIsPasted() {
        #expect(keys("\u{1b}[200~logout a\r\u{1b}[A\u{1b}[201~t") == [.character("t")])
        #expect(keys("\u{1b}[200~lo", "go", "\u{1b}[20", "1~t") == [.character("t")])
    }

    @Test func survivesAnyBytes() {
        var parser = KeyParser()
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            _ = parser.received((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
        }
        _ = parser.received(Array("\u{1b}[".utf8) + [UInt8](repeating: 0x30, count: 100_000))
        #expect(parser.isWaiting)
    }
}
