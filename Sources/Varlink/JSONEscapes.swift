/// Escapes in strings (RFC 8259, section 7).
enum JSONEscapes {
    /// Writes the string that the validated `text` stands for, which is never longer than it. Returns its length.
    static func decode(_ text: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>) -> Int {
        var read = 0
        var written = 0
        while read < text.count {
            var byte = text[read]
            read += 1
            if byte == UInt8(ascii: "\\"), read < text.count {
                byte = text[read]
                read += 1
                if byte == UInt8(ascii: "u") {
                    for unit in UTF8.encode(scalar(text, &read)) ?? UTF8.encodedReplacementCharacter {
                        output[written] = unit
                        written += 1
                    }
                    continue
                }
                byte = character(for: byte)
            }
            output[written] = byte
            written += 1
        }
        return written
    }

    /// The character that a backslash and `letter` stand for.
    private static func character(for letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0c
        case UInt8(ascii: "n"): 0x0a
        case UInt8(ascii: "r"): 0x0d
        case UInt8(ascii: "t"): 0x09
        default: letter
        }
    }

    /// Reads the digits after `\u`, and those of the surrogate that follows on the first of a pair.
    private static func scalar(_ text: UnsafeBufferPointer<UInt8>, _ read: inout Int) -> Unicode.Scalar {
        let first = unit(text, &read)
        guard first & 0xfc00 == 0xd800 else { return Unicode.Scalar(first) ?? "\u{fffd}" }
        read += 2
        let second = unit(text, &read)
        return Unicode.Scalar(0x10000 + (first & 0x3ff) << 10 + second & 0x3ff) ?? "\u{fffd}"
    }

    private static func unit(_ text: UnsafeBufferPointer<UInt8>, _ read: inout Int) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 where read < text.count {
            value = value << 4 | UInt32(digit(text[read]) ?? 0)
            read += 1
        }
        return value
    }

    static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
