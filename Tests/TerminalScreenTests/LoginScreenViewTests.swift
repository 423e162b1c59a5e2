import CommandLine
import SceneModel
import Testing

@testable import TerminalScreen

struct LoginScreenViewTests {
    @Test(arguments: LoginScenery.allCases)
    func hasOneLineForEachRowAtAnySize(_ scenery: LoginScenery) {
        for columns in [1, 2, 7, 12, 19, 20, 30, 39, 40, 59, 60, 80, 300] {
            for rows in [1, 2, 4, 5, 7, 11, 12, 16, 20, 24, 40, 100] {
                for usesColor in [true, false] {
                    let terminal = Terminal(isTerminal: true, usesColor: usesColor, redraws: true)
                    let size = ScreenSize(columns: columns, rows: rows)
                    let lines = LoginScreenView(state: scenery.state, size: size, terminal: terminal).lines
                    #expect(lines.count == rows, "\(columns)x\(rows)")
                    #expect(lines.allSatisfy { $0.width <= columns }, "\(columns)x\(rows)")
                    // A terminal wraps only full rows.
                    #expect(lines.allSatisfy { !$0.continues || $0.width >= columns - 1 }, "\(columns)x\(rows)")
                }
            }
        }
    }
}
