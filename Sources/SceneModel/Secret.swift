import Glibc

/// Bytes that must not leak: a token, a code, a verifier, a key.
///
/// A secret has no description, takes part in no reflection, compares in constant time, and wipes its memory when
/// the last reference goes.
public final class Secret: @unchecked Sendable {
    private let storage: UnsafeMutableRawBufferPointer

    /// Copies the bytes; wiping the source stays the caller's duty.
    public init(_ bytes: some Collection<UInt8>) {
        storage = .allocate(byteCount: bytes.count, alignment: 1)
        storage.copyBytes(from: bytes)
    }

    /// Wipes the bytes, where nobody else holds them.
    package convenience init(wiping bytes: inout [UInt8]) {
        self.init(bytes)
        bytes.withUnsafeMutableBytes { if let base = $0.baseAddress { explicit_bzero(base, $0.count) } }
    }

    public convenience init(_ text: String) {
        self.init(text.utf8)
    }

    deinit {
        if let base = storage.baseAddress { explicit_bzero(base, storage.count) }
        storage.deallocate()
    }

    public var count: Int { storage.count }
    public var isEmpty: Bool { storage.isEmpty }

    /// Lends the bytes for the time of the call.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(storage))
    }

    /// The secret as text, for the one who has to send it. The copy is not wiped: keep it short-lived.
    public var text: String {
        withBytes { String(decoding: $0, as: UTF8.self) }
    }
}

extension Secret: Equatable {
    /// Takes the same time wherever the bytes differ.
    public static func == (left: Secret, right: Secret) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for (a, b) in zip(left.storage, right.storage) { difference |= a ^ b }
        return difference == 0
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "(secret)" }
    public var debugDescription: String { "(secret)" }
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
