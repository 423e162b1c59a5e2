import Foundation
import Synchronization

/// A program that a test starts, talks to, and stops by its process id. Its output and errors are one stream of lines.
package final class ChildProcess: Sendable {
    package let id: pid_t
    private let input: Int32
    private let status: Mutex<Int32?> = Mutex(nil)
    private let received: Lines

    package init(_ executable: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        var environment = environment
        environment["PATH"] = environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        var started: (id: pid_t, input: Int32, output: Int32) = (0, -1, -1)
        try Spawning.oneAtATime {
            let (stdin, input) = try Spawning.pipe()
            let (output, stdout) = try Spawning.pipe()
            defer { for end in [stdin, stdout] { close(end) } }
            started = (try Spawning.start(executable, arguments, environment, [stdin, stdout, stdout]), input, output)
        }
        (id, input) = (started.id, started.input)
        let lines = Lines(started.output)
        received = lines
        Thread.detachNewThread { lines.read() }
    }

    package func type(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = write(input, bytes, bytes.count)
    }

    package func endInput() { close(input) }

    package func written() -> [String] { received.all }

    /// Waits for the line that is the `number`th to begin so. Throws where it does not come.
    @discardableResult
    package func line(_ prefix: String, number: Int = 1, seconds: Double = 40) throws -> String {
        guard let line = received.wait(prefix, number, until: Date() + seconds) else {
            throw TestFailure("no line \(number) of '\(prefix)' from process \(id), but \(written())")
        }
        return line
    }

    package func signal(_ number: Int32) {
        status.withLock { if $0 == nil { kill(id, number) } }
    }

    /// The exit code, or 128 and the signal's number.
    @discardableResult
    package func wait() -> Int32 {
        status.withLock { known in
            if let known { return known }
            var status: Int32 = 0
            waitpid(id, &status, 0)
            let code = status & 0x7f == 0 ? status >> 8 & 0xff : 128 + (status & 0x7f)
            known = code
            return code
        }
    }

    /// Whatever state it is in.
    package func end() {
        signal(SIGKILL)
        wait()
    }

    deinit {
        end()
    }
}

/// What a process has written.
private final class Lines: Sendable {
    private let source: Int32
    private let state = Mutex((lines: [String](), isOver: false))
    private let changed = NSCondition()

    init(_ source: Int32) {
        self.source = source
    }

    var all: [String] { state.withLock { $0.lines } }

    func read() {
        var rest: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(source, &chunk, chunk.count)
            guard count > 0 else { break }
            rest += chunk[..<count]
            while let end = rest.firstIndex(of: 10) {
                let line = String(decoding: rest[..<end], as: UTF8.self)
                rest.removeSubrange(...end)
                change { $0.lines.append(line) }
            }
        }
        close(source)
        change { $0.isOver = true }
    }

    private func change(_ body: (inout (lines: [String], isOver: Bool)) -> Void) {
        changed.lock()
        defer { changed.unlock() }
        state.withLock { body(&$0) }
        changed.broadcast()
    }

    func wait(_ prefix: String, _ number: Int, until deadline: Date) -> String? {
        changed.lock()
        defer { changed.unlock() }
        while true {
            let found = all.filter { $0.hasPrefix(prefix) }
            if found.count >= number { return found[number - 1] }
            guard !state.withLock({ $0.isOver }), changed.wait(until: deadline) else { return nil }
        }
    }
}
