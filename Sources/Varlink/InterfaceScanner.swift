/// The tokens of an interface text.
struct InterfaceScanner {
    private let text: [UInt8]
    /// In bytes.
    private(set) var position = 0

    init(_ text: String) {
        self.text = Array(text.utf8)
        skip()
    }

    var isAtEnd: Bool { position == text.count }

    func failure(_ reason: String, at place: Int? = nil) -> InterfaceError {
        let before = text[..<(place ?? position)]
        return InterfaceError(line: 1 + before.count { $0 == UInt8(ascii: "\n") }, reason: reason)
    }

    /// Goes over white space and comments.
    private mutating func skip() {
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"):
                position += 1
            case UInt8(ascii: "#"):
                position = text[position...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
            default:
                return
            }
        }
    }

    func peek(_ token: String) -> Bool { text[position...].starts(with: token.utf8) }

    mutating func accept(_ token: String) -> Bool {
        guard peek(token) else { return false }
        position += token.utf8.count
        skip()
        return true
    }

    mutating func expect(_ token: String) throws(InterfaceError) {
        guard accept(token) else { throw failure("no `\(token)`") }
    }

    private mutating func take(while belongs: (UInt8) -> Bool) -> String? {
        let taken = text[position...].prefix(while: belongs)
        guard !taken.isEmpty else { return nil }
        position += taken.count
        skip()
        return String(decoding: taken, as: UTF8.self)
    }

    /// Letters and digits; nil where none stand here.
    mutating func word() -> String? { take { $0.isLetter || $0.isDigit } }

    /// A type's, method's or error's name: it begins with a capital.
    mutating func name(of keyword: String) throws(InterfaceError) -> String {
        guard let name = word(), name.utf8.first?.isCapital == true else { throw failure("no name of the \(keyword)") }
        return name
    }

    /// Letters, digits and single underscores between them; a letter first.
    mutating func fieldName() throws(InterfaceError) -> String {
        guard let name = take(while: { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }),
            name.utf8.first?.isLetter == true, name.utf8.last != UInt8(ascii: "_"), !name.utf8.elementsTwice("_")
        else { throw failure("no field") }
        return name
    }

    /// Reverse-domain: parts of letters, digits and dashes, between dots.
    mutating func interfaceName() throws(InterfaceError) -> String {
        let dot = UInt8(ascii: ".")
        let dash = UInt8(ascii: "-")
        guard let name = take(while: { $0.isLetter || $0.isDigit || $0 == dot || $0 == dash }) else {
            throw failure("no interface name")
        }
        let parts = name.utf8.split(separator: dot, omittingEmptySubsequences: false)
        let isValid = parts.allSatisfy { !$0.isEmpty && $0.first != dash && $0.last != dash }
        guard isValid, parts.count > 1, name.utf8.first?.isLetter == true else {
            throw failure("no interface name")
        }
        return name
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    fileprivate var isCapital: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
    fileprivate var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
}

extension Sequence<UInt8> {
    /// Whether `byte` stands next to itself.
    fileprivate func elementsTwice(_ byte: Unicode.Scalar) -> Bool {
        let byte = UInt8(ascii: byte)
        return zip(self, dropFirst()).contains { $0 == byte && $1 == byte }
    }
}
