import Glibc

/// A value's place in a document. A container is followed by what it holds; a member is its key, then its value.
struct JSONToken {
    enum Kind: UInt8 {
        case null, bool, integer, fraction, string, array, object
    }

    /// The value's first byte; with strings, the one after the quote.
    var start: UInt32
    /// One past the value's last byte; with strings, the closing quote.
    var end: UInt32 = 0
    /// The token after this value and all that it holds. While a container is open: the container around it.
    var next: UInt32
    private var bits: UInt32

    init(_ kind: Kind, start: Int, end: Int = 0, next: UInt32, escaped: Bool = false) {
        self.start = UInt32(truncatingIfNeeded: start)
        self.end = UInt32(truncatingIfNeeded: end)
        self.next = next
        bits = UInt32(kind.rawValue) | (escaped ? 0x80 : 0)
    }

    var kind: Kind { Kind(rawValue: UInt8(truncatingIfNeeded: bits & 0x7f)) ?? .null }
    /// The string's text holds escapes.
    var escaped: Bool { bits & 0x80 != 0 }
    /// Members of the object.
    var members: Int { Int(bits >> 8) }
    var range: Range<Int> { Int(start)..<Int(end) }

    mutating func addMember() { bits &+= 0x100 }

    /// More than this would not fit beside the kind.
    static let mostMembers = 1 << 23
    static let none = UInt32.max
}

/// A text and the tape of its values; immutable once parsed.
///
/// The text is followed by NULs. NUL is valid nowhere in JSON, so a scanner that stops at what it does not
/// expect never reads past the end, nor does one that loads eight bytes at a time.
final class JSONDocument: @unchecked Sendable {
    static let padding = 8

    /// The tape as it began, and the text behind it: one piece of memory.
    private let storage: UnsafeMutableRawPointer
    let text: UnsafeMutablePointer<UInt8>
    let count: Int
    private(set) var tape: UnsafeMutablePointer<JSONToken>
    private(set) var tapeCount = 0
    private var capacity: Int

    init(copying bytes: UnsafeRawBufferPointer) {
        count = bytes.count
        capacity = count / 8 + 8
        let tapeBytes = capacity * MemoryLayout<JSONToken>.stride
        storage = .allocate(
            byteCount: tapeBytes + count + Self.padding, alignment: MemoryLayout<JSONToken>.alignment)
        tape = storage.bindMemory(to: JSONToken.self, capacity: capacity)
        text = (storage + tapeBytes).bindMemory(to: UInt8.self, capacity: count + Self.padding)
        if let source = bytes.baseAddress { memcpy(text, source, count) }
        memset(text + count, 0, Self.padding)
    }

    deinit {
        if UnsafeMutableRawPointer(tape) != storage { tape.deallocate() }
        storage.deallocate()
    }

    /// Returns the token's place on the tape.
    @discardableResult
    func append(_ token: JSONToken) -> UInt32 {
        if tapeCount == capacity { grow() }
        (tape + tapeCount).initialize(to: token)
        tapeCount += 1
        return UInt32(truncatingIfNeeded: tapeCount - 1)
    }

    private func grow() {
        let larger = UnsafeMutablePointer<JSONToken>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: tape, count: tapeCount)
        if UnsafeMutableRawPointer(tape) != storage { tape.deallocate() }
        tape = larger
        capacity *= 2
    }

    func token(_ index: UInt32) -> JSONToken { tape[Int(index)] }

    func bytes(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: text + range.lowerBound, count: range.count)
    }

    /// Whether the string at `index` is `name`, byte for byte: Swift's own equality is of canonical equivalents.
    func string(_ index: UInt32, is name: String) -> Bool {
        let token = token(index)
        guard !token.escaped else { return Array(string(index).utf8) == Array(name.utf8) }
        let length = token.range.count
        guard name.utf8.count == length else { return false }
        let same = name.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.baseAddress.map { memcmp($0, text + Int(token.start), length) == 0 } ?? true
        }
        return same ?? name.utf8.elementsEqual(bytes(token.range))
    }

    func string(_ index: UInt32) -> String {
        let token = token(index)
        let bytes = bytes(token.range)
        guard token.escaped else { return String(decoding: bytes, as: UTF8.self) }
        return String(unsafeUninitializedCapacity: bytes.count) { JSONEscapes.decode(bytes, into: $0) }
    }
}
