import Glibc

/// A file descriptor that is closed when its owner goes.
package struct OwnedDescriptor: ~Copyable, Sendable {
    package let raw: Int32

    /// Takes ownership of an open descriptor.
    package init(_ raw: Int32) {
        self.raw = raw
    }

    /// Takes what `call` has just returned; -1 is its failure.
    init(_ raw: Int32, from call: String) throws(SystemError) {
        guard raw >= 0 else { throw SystemError(call) }
        self.raw = raw
    }

    /// Gives the descriptor away; closing it is the caller's duty from here on.
    package consuming func release() -> Int32 {
        let raw = raw
        discard self
        return raw
    }

    deinit {
        close(raw)
    }
}
