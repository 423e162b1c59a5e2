import CSystemd
import Glibc

/// The system's log. From any thread.
package enum Journal {
    static let identifier = String(cString: csystemd_program_name())
    private static let socket = "/run/systemd/journal/socket"

    /// Writes to the journal, or, where there is none, to standard error, soon. Failure is nobody's concern.
    package static func write(_ entry: JournalEntry) {
        Outbox.journal.add { writeNow(entry) }
    }

    static func writeNow(_ entry: JournalEntry) {
        // sd_journal_sendv(3) takes a missing journal for success.
        if access(socket, F_OK) == 0, send(entry.encoded(identifier: identifier)) { return }
        write(line: entry.line, to: STDERR_FILENO)
    }

    static func write(line: String, to descriptor: Int32) {
        var rest = Array(line.utf8 + [UInt8(ascii: "\n")])[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else {
                if written < 0, errno == EINTR { continue }
                return
            }
            rest = rest.dropFirst(written)
        }
    }

    private static func send(_ fields: [[UInt8]]) -> Bool {
        var bytes = Array(fields.joined())
        return bytes.withUnsafeMutableBytes { buffer in
            var offset = 0
            let vectors = fields.map { field in
                defer { offset += field.count }
                return iovec(iov_base: buffer.baseAddress?.advanced(by: offset), iov_len: field.count)
            }
            return sd_journal_sendv(vectors, Int32(clamping: vectors.count)) >= 0
        }
    }
}
