/// Writes JSON text into one growing array; puts the commas itself.
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// Allocates nothing until something is written.
    package init() {}

    package init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    package mutating func beginObject() { begin(UInt8(ascii: "{")) }
    package mutating func endObject() { end(UInt8(ascii: "}")) }
    package mutating func beginArray() { begin(UInt8(ascii: "[")) }
    package mutating func endArray() { end(UInt8(ascii: "]")) }

    package mutating func key(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func string(_ value: String) {
        var value = value
        value.withUTF8 { quote($0) }
    }

    package mutating func int(_ value: Int) { literal(String(value)) }
    package mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }
    package mutating func null() { literal("null") }

    /// What is no finite number has no JSON, and becomes null.
    package mutating func double(_ value: Double) { literal(value.isFinite ? value.description : "null") }

    /// A value that is JSON already.
    package mutating func raw(_ json: some Sequence<UInt8>) {
        separate()
        bytes.append(contentsOf: json)
    }

    /// A string from UTF-8 of unknown origin; what is no UTF-8 is replaced.
    package mutating func utf8(_ text: UnsafeRawBufferPointer) {
        let text = text.assumingMemoryBound(to: UInt8.self)
        if text.allSatisfy({ $0 < 0x80 }) { quote(text) } else { string(String(decoding: text, as: UTF8.self)) }
    }

    /// A message's end on the wire.
    mutating func endMessage() {
        bytes.append(0)
        needsComma = false
    }
}

extension JSONWriter {
    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func begin(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func end(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func literal(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
    }

    /// Copies runs that need no escape as a whole.
    private mutating func quote(_ text: UnsafeBufferPointer<UInt8>) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        var copied = 0
        var position = 0
        while position < text.count {
            let plain = Self.plainPrefix(text, position)
            position += plain
            guard position < text.count, plain < 8 else { continue }
            if Self.needsEscape(text[position]) {
                bytes.append(contentsOf: text[copied..<position])
                escape(text[position])
                copied = position + 1
            }
            position += 1
        }
        bytes.append(contentsOf: text[copied...])
        bytes.append(UInt8(ascii: "\""))
    }

    private static func plainPrefix(_ text: UnsafeBufferPointer<UInt8>, _ position: Int) -> Int {
        guard text.count - position >= 8 else { return 0 }
        return JSONScan.plainPrefix(
            UnsafeRawBufferPointer(text).loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0a: bytes.append(UInt8(ascii: "n"))
        case 0x0c: bytes.append(UInt8(ascii: "f"))
        case 0x0d: bytes.append(UInt8(ascii: "r"))
        case ..<0x20:
            let low = byte & 0xf
            bytes.append(contentsOf: byte < 0x10 ? "u000".utf8 : "u001".utf8)
            bytes.append(low + (low < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10))
        default: bytes.append(byte)
        }
    }
}
