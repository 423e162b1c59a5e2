import Testing

@testable import TerminalScreen

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

    @Test func readsTheKeysOfATextField() {
        #expect(keys("\t\u{7f}\u{8}\u{15}") == [.tab, .backspace, .backspace, .eraseLine])
        #expect(keys("\u{1b}[3~\u{1b}[5~\u{1b}[6~") == [.delete, .pageUp, .pageDown])
        #expect(keys("\u{1b}[H\u{1b}OF\u{1b}[1~\u{1b}[4~") == [.home, .end, .home, .end])
    }

    @Test func readsLettersOfAnyScript() {
        #expect(keys("é日😀") == [.character("é"), .character("日"), .character("😀")])
        var parser = KeyParser()
        #expect("ß".utf8.flatMap { parser.received([$0]) } == [.character("ß")])
        // Neither halves of characters nor C1 controls.
        #expect(
            parser.received([0xC3, 0x71, 0xC2, 0x9B, 0xFF, 0xE2, 0x82, 0x71]) == [.character("q"), .character("q")])
    }

    @Test(arguments: ["\u{1b}[1;5A", "\u{1b}[2~", "\u{1b}[<0;3;4M", "\u{1b}OP", "\u{1b}o", "\u{0}"])
    func doesNotTakeOtherKeysForCommands(_ text: String) {
        #expect(keys(text + "q") == [.character("q")])
    }

    @Test func takesWhatIsPastedForNoKeys() {
        #expect(keys("\u{1b}[200~logout a\r\u{1b}[A\u{1b}[201~t") == [.pasted("logout a"), .character("t")])
        #expect(keys("\u{1b}[200~lo", "go", "\u{1b}[20", "1~t") == [.pasted("logo"), .character("t")])
    }

    @Test func knowsAnAddressThatComesAtOnceForPasted() {
        #expect(keys("http://127.0.0.1:1/q?code=1\r") == [.pasted("http://127.0.0.1:1/q?code=1")])
        #expect(keys("ht", "tp") == ["h", "t", "t", "p"].map { .character($0) })
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
