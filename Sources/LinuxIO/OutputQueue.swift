import CLinux
import Glibc

/// Bytes that a socket has not taken yet. Chunks are shared with whoever sent them, not copied.
final class OutputQueue {
    private var chunks: [[UInt8]] = []
    private var first = 0
    /// How much of the first chunk is written.
    private var offset = 0
    private(set) var count = 0
    private let meter: ByteMeter?

    init(meter: ByteMeter?) {
        self.meter = meter
    }

    deinit { _ = meter?.change(from: count, to: 0) }

    var isEmpty: Bool { count == 0 }

    /// False: the meter does not let it in, and nothing has changed.
    func append(_ chunk: [UInt8], from offset: Int) -> Bool {
        guard offset < chunk.count else { return true }
        let more = chunk.count - (isEmpty ? offset : 0)
        guard meter?.change(from: 0, to: more) ?? true else { return false }
        if isEmpty { self.offset = offset }
        count += more
        chunks.append(chunk)
        return true
    }

    /// Writes up to `limit` bytes or until the socket takes no more. False: it never will again.
    func write(to socket: Int32, limit: Int) -> Bool {
        var written = 0
        while first < chunks.count, written < limit {
            let sent = Self.send(chunks[first], from: offset, to: socket)
            guard sent >= 0 else { return errno == EAGAIN }
            written += sent
            advance(by: sent)
        }
        return true
    }

    private func removeAll() {
        chunks = []
        first = 0
        offset = 0
    }

    private func advance(by sent: Int) {
        count -= sent
        _ = meter?.change(from: sent, to: 0)
        offset += sent
        guard offset >= chunks[first].count else { return }
        chunks[first] = []
        first += 1
        offset = 0
        if first == chunks.count {
            removeAll()
        } else if first >= 64, first * 2 >= chunks.count {
            chunks.removeFirst(first)
            first = 0
        }
    }

    /// send(2), without blocking and without SIGPIPE; -1 and `errno` on failure.
    static func send(_ bytes: [UInt8], from offset: Int, to socket: Int32) -> Int {
        bytes.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[offset...]), to: socket) }
    }

    @inline(__always)
    static func send(_ bytes: UnsafeRawBufferPointer, to socket: Int32) -> Int {
        retryingInterrupted { clinux_send(socket, bytes.baseAddress, bytes.count) }
    }
}
