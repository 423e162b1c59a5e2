import Glibc

/// The terminal as a full screen without echo, and back: on every way out, once.
package enum TerminalMode {
    private static let entering = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7h\u{1b}[?2004h\u{1b}[2J"
    // As bytes that a signal handler can write.
    private static let leaving: StaticString = "\u{1b}[?2026l\u{1b}[?2004l\u{1b}[0m\u{1b}[?25h\u{1b}[?1049l"

    // Written by the main thread; read by whoever ends the process.
    nonisolated(unsafe) private static var output = STDOUT_FILENO
    nonisolated(unsafe) private static var former = termios()
    nonisolated(unsafe) private static var isEntered = false

    /// False where there is no such terminal. Signals stay the keyboard's: Ctrl-C is SIGINT, Ctrl-Z SIGTSTP.
    ///
    /// `output` is the descriptor that is drawn on; the keyboard is standard input.
    package static func enter(output descriptor: Int32 = STDOUT_FILENO) -> Bool {
        // A job in the background stops here, and finds its own terminal when it goes on, not the shell's (tcdrain).
        tcdrain(STDIN_FILENO)
        var mode = termios()
        guard tcgetattr(STDIN_FILENO, &mode) == 0 else { return false }
        if !isEntered { former = mode }
        mode.c_iflag &= ~tcflag_t(ICRNL | INLCR | IGNCR | IXON)
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO | ECHONL | IEXTEN)
        withUnsafeMutableBytes(of: &mode.c_cc) { characters in
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
        }
        guard tcsetattr(STDIN_FILENO, TCSADRAIN, &mode) == 0 else { return false }
        isEntered = true
        output = descriptor
        write(entering, to: output)
        return true
    }

    /// Calls only what a signal handler may call. What was typed and not read goes too: it was not meant for the shell.
    package static func leave() {
        guard isEntered else { return }
        isEntered = false
        _ = Glibc.write(output, leaving.utf8Start, leaving.utf8CodeUnitCount)
        _ = tcsetattr(STDIN_FILENO, TCSAFLUSH, &former)
    }

    /// Has `leave` called when the process ends, also by a fault.
    package static func leaveAtEnd() {
        atExit
        FatalSignals.take(FatalSignals.faults)
    }

    private static let atExit: Void = { _ = atexit { TerminalMode.leave() } }()

    /// Writes all of it, where the terminal takes it.
    package static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) {
        var text = text
        text.withUTF8 { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let slice = UnsafeBufferPointer(rebasing: rest)
                let count = Glibc.write(descriptor, slice.baseAddress, slice.count)
                if count < 0, errno == EINTR || errno == EAGAIN {
                    var writable = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&writable, 1, 1000)
                } else if count <= 0 {
                    return
                } else {
                    rest = rest.dropFirst(count)
                }
            }
        }
    }
}
