import Glibc

/// A system call that failed.
package struct SystemError: Error, Hashable {
    /// The value of `errno`.
    package var code: Int32
    package var call: String

    package init(code: Int32, call: String) {
        self.code = code
        self.call = call
    }

    /// The failure of `call`, which has just set `errno`.
    package init(_ call: String) {
        self.init(code: errno, call: call)
    }
}

extension SystemError: CustomStringConvertible {
    /// For example, "bind: Address already in use".
    package var description: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let base = buffer.baseAddress, strerror_r(code, base, buffer.count) == 0 else {
                return "\(call): error \(code)"
            }
            return "\(call): \(String(cString: base))"
        }
    }
}

/// Repeats a call for as long as a signal interrupts it.
@inline(__always)
func retryingInterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result != -1 || errno != EINTR { return result }
    }
}
