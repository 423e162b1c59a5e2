/// Finds, eight bytes at a time, what in a string needs a closer look.
enum JSONScan {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let tops: UInt64 = 0x8080_8080_8080_8080

    /// How many of the eight bytes, from the first, are ASCII but no quote, backslash or control character.
    @inline(__always)
    static func plainPrefix(_ word: UInt64) -> Int {
        let quote = (word ^ (ones &* 0x22)) &- ones
        let backslash = (word ^ (ones &* 0x5c)) &- ones
        let control = word &- (ones &* 0x20)
        // A borrow spoils only bytes above one that is found already, so the lowest mark is exact.
        return ((quote | backslash | control | word) & tops).littleEndian.trailingZeroBitCount / 8
    }

    /// The length of the valid UTF-8 sequence of more than one byte at `text`, or 0 (RFC 3629, section 4).
    /// Reads no byte after one that does not belong to the sequence.
    static func sequenceLength(_ text: UnsafePointer<UInt8>) -> Int {
        func follows(_ index: Int, _ range: ClosedRange<UInt8> = 0x80...0xbf) -> Bool { range.contains(text[index]) }
        switch text[0] {
        case 0xc2...0xdf: return follows(1) ? 2 : 0
        case 0xe0: return follows(1, 0xa0...0xbf) && follows(2) ? 3 : 0
        case 0xed: return follows(1, 0x80...0x9f) && follows(2) ? 3 : 0
        case 0xe1...0xef: return follows(1) && follows(2) ? 3 : 0
        case 0xf0: return follows(1, 0x90...0xbf) && follows(2) && follows(3) ? 4 : 0
        case 0xf1...0xf3: return follows(1) && follows(2) && follows(3) ? 4 : 0
        case 0xf4: return follows(1, 0x80...0x8f) && follows(2) && follows(3) ? 4 : 0
        default: return 0
        }
    }
}
