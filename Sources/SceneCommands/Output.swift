import CommandLine
import Glibc

/// Where text goes for people and scripts: standard output or standard error.
struct Output {
    let descriptor: Int32
    let terminal: Terminal

    init(_ descriptor: Int32, environment: [String: String]) {
        self.descriptor = descriptor
        terminal = Terminal(of: descriptor, environment: environment)
    }

    func line(_ text: String) throws(CommandFailure) {
        try write(Array((text + "\n").utf8))
    }

    func lines(_ lines: [String]) throws(CommandFailure) {
        guard !lines.isEmpty else { return }
        try line(lines.joined(separator: "\n"))
    }

    /// Writes all of it. Who reads it may be gone: SIGPIPE then ends the process, as it does `yes | head`.
    func write(_ bytes: [UInt8]) throws(CommandFailure) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress.map { $0 + sent }, $0.count - sent)
            }
            if count > 0 {
                sent += count
            } else if errno == EAGAIN {
                var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = Glibc.poll(&poll, 1, -1)
            } else if errno != EINTR {
                throw CommandFailure(.failure, "The output cannot be written: \(String(cString: strerror(errno)))")
            }
        }
    }

    /// For what is nice to know: a closed standard error is no reason to fail.
    func tell(_ text: String) {
        try? line(text)
    }
}
