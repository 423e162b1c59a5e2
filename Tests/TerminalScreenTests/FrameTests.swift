import CommandLine
import Testing

@testable import TerminalScreen

struct FrameTests {
    private let plain = Terminal(isTerminal: true, width: 4)

    @Test func drawsOverWhatIsThereWithoutClearing() {
        let text = Frame.text([Line("ab"), Line("cd")], columns: 4, terminal: plain)
        #expect(text == "\u{1b}[Hab\u{1b}[K\r\ncd\u{1b}[K")
    }

    @Test func keepsTheLastCellOfAFullRow() {
        #expect(Frame.text([Line("abcd"), Line()], columns: 4, terminal: plain) == "\u{1b}[Habcd\r\n\u{1b}[K")
    }

    @Test func leavesARowThatGoesOnToTheTerminal() {
        let lines = Line.whole("abcdef", columns: 4)
        #expect(Frame.text(lines, columns: 4, terminal: plain) == "\u{1b}[Habcdef\u{1b}[K")
    }

    @Test func usesColoursOnlyWhereTheyAreWanted() {
        let lines = [Line("ab", .bad)]
        let colourful = Terminal(isTerminal: true, usesColor: true, redraws: true, width: 4)
        #expect(Frame.text(lines, columns: 4, terminal: colourful).contains("\u{1b}[31mab\u{1b}[0m"))
        #expect(!Frame.text(lines, columns: 4, terminal: plain).contains("m"))
    }
}

struct LineTests {
    @Test(arguments: [
        (3, "abcd"), (4, "abcdef"), (9, "abcdef"), (1, "ab"), (0, "ab"), (5, "日本語"), (6, "日本語"), (4, "日本語"),
    ])
    func isCutToTheScreen(_ columns: Int, _ text: String) {
        let cut = Line(text).fitted(to: columns)
        #expect(cut.width <= columns)
        #expect(text.displayWidth <= columns ? cut.text == text : columns == 0 || cut.text.hasSuffix("…"))
    }

    @Test func isCutAtABoundaryOfStylesToo() {
        let cut = Line(Line("abc", .good), Line("def", .bad)).fitted(to: 3)
        #expect(cut.text == "ab…")
        #expect(Line(Line("abc", .good), Line("def", .bad)).fitted(to: 4).text == "abc…")
    }

    @Test func wrapsWholeTextsAtWideCharacters() {
        let lines = Line.whole("a日本語", columns: 3)
        #expect(lines.map(\.text) == ["a日", "本", "語"])
        #expect(lines.map(\.continues) == [true, true, false])
    }
}
