import CommandLine

/// How a wait stands. On a terminal one line, drawn again as time goes by; elsewhere a line for each change.
struct StatusLine {
    private let output: Output
    private let redraws: Bool
    private let start = ContinuousClock.now
    private var text = ""
    private var isDrawn = false

    /// `shares`: the user types on the same terminal, so that nothing may be drawn over what is typed.
    init(on output: Output, shares: Bool) {
        self.output = output
        redraws = output.terminal.redraws && !shares
    }

    /// When the line has to be drawn again.
    var nextTick: ContinuousClock.Instant? { redraws ? .now + .seconds(1) : nil }

    mutating func show(_ text: String) {
        let isNew = text != self.text
        self.text = text
        if redraws { draw() } else if isNew { output.tell(text + "…") }
    }

    mutating func draw() {
        guard redraws, !text.isEmpty else { return }
        let seconds = Int(clamping: (ContinuousClock.now - start).components.seconds)
        let line = "\(text)… \(Elapsed.clock(seconds: seconds))".shortened(to: output.terminal.width - 1)
        try? output.write(Array(("\r\u{1b}[K" + output.terminal.styled(line, .faint)).utf8))
        isDrawn = true
    }

    /// Before something else is printed.
    mutating func clear() {
        guard isDrawn else { return }
        try? output.write(Array("\r\u{1b}[K".utf8))
        isDrawn = false
    }
}
