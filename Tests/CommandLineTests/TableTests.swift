import CommandLine
import Testing

@Suite struct TableTests {
    private func table() -> Table {
        var table = Table([.init("NAME", shortens: true), .init("AGE", isNumber: true), .init("HOST")])
        table.add("Ada", "36", Table.Cell("a.example", .good))
        table.add("東京 e\u{301}", "7", "b\u{1b}.example")
        table.add("", "", "")
        return table
    }

    @Test func alignsByDisplayWidth() {
        #expect(
            table().lines(for: Terminal()) == [
                "NAME    AGE  HOST",
                "Ada      36  a.example",
                "東京 e\u{301}    7  b\\x1b.example",
                "",
            ])
    }

    @Test func coloursOnlyWhereTheyAreUsed() {
        let plain = table().lines(for: Terminal(isTerminal: true, width: 80)).joined()
        #expect(!plain.contains("\u{1b}"))
        let coloured = table().lines(for: Terminal(isTerminal: true, usesColor: true, width: 80))
        #expect(coloured[1] == "Ada      36  \u{1b}[32ma.example\u{1b}[0m")
    }

    @Test func fitsATerminalByCuttingWhatMayBeCut() {
        var table = Table([.init("NAME", shortens: true), .init("ID")])
        table.add(Table.Cell(String(repeating: "n", count: 60)), Table.Cell(String(repeating: "i", count: 30)))
        let lines = table.lines(for: Terminal(isTerminal: true, width: 80))
        #expect(lines[1].displayWidth == 80)
        #expect(lines[1].hasSuffix(String(repeating: "i", count: 30)))
        #expect(table.lines(for: Terminal())[1].displayWidth == 92)
        #expect(table.lines(for: Terminal(isTerminal: true, width: 10))[1].displayWidth == 40)
    }

    @Test func theWidestColumnGivesFirst() {
        var table = Table([.init("A", shortens: true), .init("B", shortens: true), .init("C")])
        table.add("short", Table.Cell(String(repeating: "b", count: 1_000_000)), "c")
        table.add(Table.Cell(String(repeating: "a", count: 50)), "b", "c")
        let lines = table.lines(for: Terminal(isTerminal: true, width: 80))
        #expect(lines.map(\.displayWidth) == [80, 80, 80])
        #expect(lines[1].hasPrefix("short  "))
        #expect(lines[2].hasPrefix(String(repeating: "a", count: 30)))
    }

    @Test func rowsMayBeShortOrLong() {
        var table = Table([.init("A"), .init("B")])
        table.add("1")
        table.add("1", "2", "3")
        #expect(table.lines(for: Terminal()) == ["A  B", "1", "1  2"])
    }
}
