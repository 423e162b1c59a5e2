import Glibc

/// Cuts a stream into messages at their NULs. Looks at each byte once, and owns no memory between messages.
struct MessageBuffer {
    enum Found: Equatable {
        /// The message, without its NUL.
        case message(Range<Int>)
        case nothing
        case tooLong
    }

    private let limit: Int
    private var bytes: [UInt8] = []
    /// Where the first message that was not taken yet begins.
    private var start = 0
    /// Up to here there is no NUL.
    private var searched = 0

    /// `limit`: bytes of a message, its NUL not counted.
    init(limit: Int) {
        self.limit = limit
    }

    var count: Int { bytes.count - start }

    mutating func append(_ more: UnsafeRawBufferPointer) {
        // What was taken is dropped once it is the larger part: each byte moves once, on average.
        if start > count {
            bytes.removeSubrange(..<start)
            searched -= start
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    /// The next complete message, which stays until `take`.
    mutating func find() -> Found {
        let end = bytes.withUnsafeBytes { Self.firstNUL($0, from: searched) }
        searched = end ?? bytes.count
        if searched - start > limit { return .tooLong }
        return end.map { .message(start..<$0) } ?? .nothing
    }

    func withMessage<Result, Failure: Error>(
        _ range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let outcome = bytes.withUnsafeBytes { all in
            Swift.Result { () throws(Failure) in try body(UnsafeRawBufferPointer(rebasing: all[range])) }
        }
        return try outcome.get()
    }

    /// Done with the message and its NUL.
    mutating func take(_ message: Range<Int>) {
        start = message.upperBound + 1
        searched = start
        if start >= bytes.count { drop() }
    }

    /// Gives the memory back.
    mutating func drop() {
        bytes = []
        start = 0
        searched = 0
    }

    static func firstNUL(_ bytes: UnsafeRawBufferPointer, from offset: Int) -> Int? {
        guard offset < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + offset, 0, bytes.count - offset)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }
}
