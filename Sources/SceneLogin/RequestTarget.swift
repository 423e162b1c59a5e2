/// The target of a request line, in origin form (RFC 9112, section 3.2.1).
struct RequestTarget: Hashable {
    let path: String
    /// What follows the question mark, undecoded.
    let query: String

    init(_ text: String) {
        let path = text.prefix { $0 != "?" }
        self.path = String(path)
        query = String(text[path.endIndex...].dropFirst())
    }

    enum Parameter: Equatable {
        case absent
        case once(String)
        case repeated
    }

    /// A parameter of the query, decoded. A name counts however it is encoded.
    func parameter(_ name: String) -> Parameter { Self.parameter(name, of: query) }

    /// A field of a form (application/x-www-form-urlencoded).
    static func parameter(_ name: String, of query: String) -> Parameter {
        var found: Parameter = .absent
        for field in query.utf8.split(separator: UInt8(ascii: "&")) {
            let key = field.prefix { $0 != UInt8(ascii: "=") }
            guard Self.decode(key).elementsEqual(name.utf8) else { continue }
            guard found == .absent else { return .repeated }
            let value = field[key.endIndex...].dropFirst()
            found = .once(String(decoding: Self.decode(value), as: UTF8.self))
        }
        return found
    }

    private static func decode(_ text: Substring.UTF8View) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = rest.first.flatMap(hexadecimal),
                let low = rest.dropFirst().first.flatMap(hexadecimal)
            {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return bytes
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
