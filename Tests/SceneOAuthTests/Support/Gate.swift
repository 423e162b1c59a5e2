import Glibc

/// Holds threads up until it is opened.
final class Gate: Sendable {
    private let ends: (read: Int32, write: Int32)

    init() {
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        self.ends = (ends[0], ends[1])
    }

    func open() { write(ends.write, "x", 1) }

    /// Blocks the calling thread; one that has passed leaves the gate open.
    func pass() {
        var byte: UInt8 = 0
        if read(ends.read, &byte, 1) == 1 { open() }
    }

    deinit {
        close(ends.read)
        close(ends.write)
    }
}
