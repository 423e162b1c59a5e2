@testable import Varlink

/// SplitMix64: the same numbers in each run.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// Puts in, takes out, doubles or changes a few bytes; prefers those that mean something in JSON.
    mutating func mutate(_ bytes: inout [UInt8]) {
        let telling = Array(#"{}[]",:\u0dDeE-+.ntf"#.utf8) + [0x00, 0x1f, 0x20, 0x7f, 0x80, 0xc3, 0xed, 0xf4, 0xff]
        for _ in 0..<Int.random(in: 1...4, using: &self) {
            let place = Int.random(in: 0...bytes.count, using: &self)
            let byte = telling.randomElement(using: &self) ?? 0
            switch Int.random(in: 0..<5, using: &self) {
            case 0: bytes.insert(byte, at: place)
            case 1 where place < bytes.count: bytes.remove(at: place)
            case 2 where place < bytes.count: bytes[place] = byte
            case 3 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &self)
            default:
                let from = Int.random(in: 0...place, using: &self)
                bytes.insert(contentsOf: bytes[from..<min(place, from + 40)], at: place)
            }
        }
    }
}

extension JSONElement {
    static func parse(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) -> JSONElement {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(JSONError) in try parse(bytes, limits: limits) }
        }
        return try result.get()
    }
}

extension WireValue {
    /// The value's JSON text.
    var json: String {
        var writer = JSONWriter()
        write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
