import TerminalScreen

/// Where a window shows itself.
@MainActor protocol Display {
    func show(_ state: WindowState)
    /// The exit code where the signal ends the window.
    func received(_ signal: Int32) -> Int32?
    func close()
}

/// A terminal, taken as a whole.
@MainActor final class DrawnWindow: Display {
    private let screen: FullScreen

    /// Nil where standard input and output are no terminal that can be drawn on.
    init?(environment: [String: String]) {
        guard let screen = FullScreen(environment: environment) else { return nil }
        self.screen = screen
    }

    func show(_ state: WindowState) {
        screen.draw { size, terminal in Screen(state: state, size: size, terminal: terminal).lines }
    }

    func received(_ signal: Int32) -> Int32? { screen.received(signal).map { 128 + $0 } }
    func close() { screen.close() }
}

/// Lines on standard output, where there is no terminal.
@MainActor final class PlainLines: Display {
    private var shown: WindowState?

    func show(_ state: WindowState) {
        for line in News.lines(from: shown, to: state) { TerminalMode.write(line + "\n") }
        shown = state
    }

    func received(_ signal: Int32) -> Int32? { 128 + signal }
    func close() {}
}
