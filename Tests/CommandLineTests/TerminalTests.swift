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
}
