/// base64url without padding (RFC 4648, section 5), as JOSE and PKCE use it.
enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        var held = 0
        var bits = 0
        for byte in bytes {
            held = (held << 8 | Int(byte)) & 0xffff
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[held >> bits & 63])
            }
        }
        if bits > 0 { text.append(alphabet[held << (6 - bits) & 63]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil for anything but the one canonical text of some bytes.
    static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var held = 0
        var bits = 0
        var digits = 0
        for character in text {
            guard let digit = digit(of: character) else { return nil }
            held = (held << 6 | digit) & 0xffff
            bits += 6
            digits += 1
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: held >> bits))
            }
        }
        guard digits % 4 != 1, held & ((1 << bits) - 1) == 0 else { return nil }
        return bytes
    }

    static func digit(of character: UInt8) -> Int? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}

extension Base64URL {
    /// Plain base64 (RFC 4648, section 4), for HTTP Basic.
    static func padded(_ bytes: some Sequence<UInt8>) -> String {
        let text = encode(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return String(text) + String(repeating: "=", count: (4 - text.count % 4) % 4)
    }
}
