import Glibc
import SceneModel

/// application/x-www-form-urlencoded, for token requests (RFC 6749, appendix B) and for queries.
struct Form {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ name: String, _ value: String) {
        add(name, value.utf8)
    }

    mutating func add(_ name: String, _ value: Secret) {
        value.withBytes { add(name, $0) }
    }

    private mutating func add(_ name: String, _ value: some Sequence<UInt8>) {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
        Form.encode(name.utf8, into: &bytes)
        bytes.append(UInt8(ascii: "="))
        Form.encode(value, into: &bytes)
    }

    /// The form as a request's body; the form is wiped.
    mutating func take() -> Secret {
        let body = Secret(bytes)
        bytes.withUnsafeMutableBytes { if let base = $0.baseAddress { explicit_bzero(base, $0.count) } }
        bytes = []
        return body
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Percent-encodes all but RFC 3986's unreserved characters; a space is %20, which forms and queries both read.
    static func encode(_ value: some Sequence<UInt8>, into bytes: inout [UInt8]) {
        let hex = Array("0123456789ABCDEF".utf8)
        for byte in value {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
            }
        }
    }

    static func encode(_ value: String) -> String {
        var bytes: [UInt8] = []
        encode(value.utf8, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The pairs of a form in their order; nil for a broken escape or for text that is not UTF-8.
    static func decode(_ text: String) -> [(name: String, value: String)]? {
        var pairs: [(name: String, value: String)] = []
        for part in text.utf8.split(separator: UInt8(ascii: "&")) {
            let halves = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = halves.first, let name = decodeComponent(first) else { return nil }
            guard let value = halves.count > 1 ? decodeComponent(halves[1]) : "" else { return nil }
            pairs.append((name, value))
        }
        return pairs
    }

    /// Text with its percent-escapes read; broken ones stay as they are.
    static func decodeLeniently(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap(hexDigit)
            if byte == UInt8(ascii: "%"), digits.count == 2, let high = digits.first, let low = digits.last {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func decodeComponent(_ text: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
