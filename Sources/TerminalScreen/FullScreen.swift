import CommandLine
import Glibc

/// A terminal, taken as a whole.
package final class FullScreen {
    private let output: Int32
    private let isLent: Bool
    private let terminal: Terminal
    private var drawing: ((ScreenSize, Terminal) -> [Line])?
    private var drawn = ""

    /// Nil where standard input and `output` are no terminal that can be drawn on, or it is another job's now.
    ///
    /// `isLent`: the program has other uses for it, before and after. It is given back at those signals that end the
    /// process unheard, too, and with `close` all signals are the program's as before.
    package init?(on output: Int32 = STDOUT_FILENO, environment: [String: String], isLent: Bool = false) {
        self.output = output
        self.isLent = isLent
        terminal = Terminal(of: output, environment: environment)
        guard Self.isPossible(on: output, environment: environment), TerminalMode.enter(output: output) else {
            return nil
        }
        TerminalMode.leaveAtEnd()
        if isLent { FatalSignals.take(TerminalInput.ending, sparingHandled: true) }
    }

    package static func isPossible(on output: Int32, environment: [String: String]) -> Bool {
        Terminal(of: output, environment: environment).redraws && isatty(STDIN_FILENO) == 1
            && tcgetpgrp(STDIN_FILENO) == getpgrp()
    }

    package func draw(_ lines: @escaping (ScreenSize, Terminal) -> [Line]) {
        drawing = lines
        let size = ScreenSize.of(output)
        let frame = Frame.text(lines(size, terminal), columns: size.columns, terminal: terminal)
        // What stands there already is left alone, and with it what the user has selected.
        guard frame != drawn else { return }
        drawn = frame
        // Shown at once and whole by terminals that know of synchronized output; others pass over the marks.
        TerminalMode.write("\u{1b}[?2026h" + frame + "\u{1b}[?2026l", to: output)
    }

    /// After a change of size, or when the process goes on after a stop.
    package func restore() {
        guard TerminalMode.enter(output: output) else { return }
        drawn = ""
        if let drawing { draw(drawing) }
    }

    package func suspend() {
        TerminalMode.leave()
        Signals.suspend()
        restore()
    }

    /// The number of the signal where it ends the program; the others are heeded.
    package func received(_ signal: Int32) -> Int32? {
        switch signal {
        case SIGWINCH, SIGCONT: restore()
        case SIGTSTP: suspend()
        default: return signal
        }
        return nil
    }

    package func close() {
        TerminalMode.leave()
        if isLent { FatalSignals.giveBack() }
    }
}
