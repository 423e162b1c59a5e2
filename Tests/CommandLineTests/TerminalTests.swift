import CommandLine
import Glibc
import Testing

@Suite struct TerminalTests {
    @Test func aPipeIsNoTerminal() {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { ends.forEach { close($0) } }
        let terminal = Terminal(of: ends[1], environment: ["TERM": "xterm"])
        #expect(terminal == Terminal(isTerminal: false, usesColor: false, redraws: false, width: 80))
        #expect(terminal.styled("x", .bad) == "x")
    }

    @Test(arguments: [
        (["TERM": "xterm"], true), (["TERM": "xterm", "NO_COLOR": "1"], false), (["TERM": "dumb"], false),
        (["TERM": "xterm", "NO_COLOR": ""], true), ([:], false),
    ])
    func aTerminalIsColouredUnlessToldNot(_ environment: [String: String], _ coloured: Bool) throws {
        let pty = try PseudoTerminal()
        let terminal = Terminal(of: pty.terminal, environment: environment)
        #expect(terminal.isTerminal)
        #expect(terminal.usesColor == coloured)
    }

    @Test(
        arguments: [
            (["TERM": "xterm"], .sixteen), (["TERM": "linux", "COLORTERM": "yes"], .sixteen),
            (["TERM": "screen-256color"], .palette), (["TERM": "xterm-256color", "COLORTERM": "truecolor"], .all),
            (["TERM": "xterm", "COLORTERM": "24bit"], .all), (["TERM": "xterm-direct"], .all),
        ] as [([String: String], Terminal.Colors)])
    func hasAsManyColoursAsItSays(_ environment: [String: String], _ colors: Terminal.Colors) throws {
        #expect(Terminal(of: try PseudoTerminal().terminal, environment: environment).colors == colors)
    }
}
