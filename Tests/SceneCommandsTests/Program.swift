import Foundation
import TestSupport
import Testing

/// scenectl, run as a process.
final class Program {
    struct Outcome {
        /// The exit code, or 128 and the signal's number.
        var code: Int32
        var output: String
        var errors: String
    }

    private var child: pid_t = 0
    private var input: Int32 = -1
    private var sources: [Int32] = []
    private var received: [[UInt8]] = [[], []]

    /// Built beside the tests.
    static let path = Spawning.built("scenectl")

    /// `onTerminal`: output and errors are one terminal, and arrive as output.
    init(
        _ arguments: [String], socket: String? = nil, environment: [String: String] = [:], executable: String = path,
        onTerminal: Bool = false
    ) throws {
        var environment = environment
        environment["PATH"] = environment["PATH"] ?? "/usr/bin:/bin"
        environment["TZ"] = "UTC"
        if let socket { environment["SCENED_SOCKET"] = socket }
        try Spawning.oneAtATime {
            let (stdin, input) = try Spawning.pipe()
            self.input = input
            var ends = [stdin]
            if onTerminal {
                let pty = try PseudoTerminal()
                sources = [pty.takeController()]
                ends += [pty.terminal, pty.terminal]
                child = try Spawning.start(executable, arguments, environment, ends)
            } else {
                let (output, outputEnd) = try Spawning.pipe()
                let (errors, errorsEnd) = try Spawning.pipe()
                sources = [output, errors]
                ends += [outputEnd, errorsEnd]
                child = try Spawning.start(executable, arguments, environment, ends)
                close(outputEnd)
                close(errorsEnd)
            }
            close(stdin)
        }
    }

    deinit {
        if child > 0 {
            kill(child, SIGKILL)
            waitpid(child, nil, 0)
        }
        for descriptor in sources + [input] where descriptor >= 0 { close(descriptor) }
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(input, bytes, bytes.count)
    }

    func endInput() {
        close(input)
        input = -1
    }

    func interrupt() { kill(child, SIGINT) }

    /// The reader of standard output goes.
    func closeOutput() {
        close(sources[0])
        sources[0] = -1
    }

    /// Reads until the text was written to standard output or standard error.
    func waitFor(_ text: String) {
        let sought = Array(text.utf8)
        while !received.contains(where: { !$0.ranges(of: sought).isEmpty }) {
            guard receive() else {
                Issue.record("never wrote \(text): \(received.map { String(decoding: $0, as: UTF8.self) })")
                return
            }
        }
    }

    /// Waits for the end, with standard input at its end.
    func finish() -> Outcome {
        endInput()
        while receive() {}
        var status: Int32 = 0
        if sources.contains(where: { $0 >= 0 }) { kill(child, SIGKILL) }
        waitpid(child, &status, 0)
        child = 0
        let code = status & 0x7f == 0 ? status >> 8 & 0xff : 128 + (status & 0x7f)
        return Outcome(
            code: code, output: String(decoding: received[0], as: UTF8.self),
            errors: String(decoding: received[1], as: UTF8.self))
    }

    /// False when there is nothing more to come, or nothing came for 20 s.
    private func receive() -> Bool {
        var polls = sources.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard sources.contains(where: { $0 >= 0 }), poll(&polls, nfds_t(polls.count), 20_000) > 0 else { return false }
        for (index, poll) in polls.enumerated() where poll.revents != 0 {
            var chunk = [UInt8](repeating: 0, count: 65536)
            let count = read(poll.fd, &chunk, chunk.count)
            if count > 0 {
                received[index] += chunk[..<count]
            } else {
                close(poll.fd)
                sources[index] = -1
            }
        }
        return true
    }
}

/// Runs scenectl to its end.
func scenectl(
    _ arguments: [String], socket: String? = nil, environment: [String: String] = [:], input: String = "",
    onTerminal: Bool = false
) throws -> Program.Outcome {
    let program = try Program(arguments, socket: socket, environment: environment, onTerminal: onTerminal)
    if !input.isEmpty { program.type(input) }
    return program.finish()
}

/// Runs a shell line in which `$CTL` is scenectl.
func shell(_ line: String, socket: String? = nil, environment: [String: String] = [:]) throws -> Program.Outcome {
    let environment = environment.merging(["CTL": Program.path]) { $1 }
    return try Program(["-c", line], socket: socket, environment: environment, executable: "/bin/bash").finish()
}
