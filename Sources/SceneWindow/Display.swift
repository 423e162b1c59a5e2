import CommandLine
import Glibc

/// Where a window shows itself.
@MainActor protocol Display {
    func show(_ state: WindowState)
    /// After a change of size, or when the process goes on after a stop.
    func restore()
    func suspend()
    func close()
}

extension Display {
    /// The exit code where the signal ends the window.
    func received(_ signal: Int32) -> Int32? {
        switch signal {
        case SIGWINCH, SIGCONT: restore()
        case SIGTSTP: suspend()
        default: return 128 + signal
        }
        return nil
    }
}

/// A terminal, taken as a whole.
@MainActor final class FullScreen: Display {
    private let terminal: Terminal
    private var shown: WindowState?
    private var drawn = ""

    /// Nil where standard input and output are no terminal that can be drawn on.
    init?(environment: [String: String]) {
        terminal = Terminal(of: STDOUT_FILENO, environment: environment)
        guard terminal.redraws, isatty(STDIN_FILENO) == 1, TerminalMode.enter() else { return nil }
        TerminalMode.leaveAtEnd()
    }

    func show(_ state: WindowState) {
        shown = state
        let size = ScreenSize.of(STDOUT_FILENO)
        let frame = Frame.text(Screen(state: state, size: size).lines, columns: size.columns, terminal: terminal)
        // What stands there already is left alone, and with it what the user has selected.
        guard frame != drawn else { return }
        drawn = frame
        TerminalMode.write(frame)
    }

    func restore() {
        guard TerminalMode.enter() else { return }
        drawn = ""
        if let shown { show(shown) }
    }

    func suspend() {
        TerminalMode.leave()
        Signals.suspend()
        restore()
    }

    func close() {
        TerminalMode.leave()
    }
}

/// Lines on standard output, where there is no terminal.
@MainActor final class PlainLines: Display {
    private var shown: WindowState?

    func show(_ state: WindowState) {
        for line in News.lines(from: shown, to: state) { TerminalMode.write(line + "\n") }
        shown = state
    }

    func restore() {}
    func suspend() {}
    func close() {}
}
