/// Builds a document's tape. Iterative: nesting costs no stack. Strict: RFC 8259 and nothing beyond it.
struct JSONParser {
    private let document: JSONDocument
    private let limits: JSONLimits
    /// Ends in NULs, see `JSONDocument`.
    private let text: UnsafePointer<UInt8>
    private var position = 0
    private var depth = 0
    /// The innermost container that is open.
    private var container = JSONToken.none

    /// A longer number has no meaning that a Double or an Int could hold.
    private static let longestNumber = 1024

    static func parse(_ bytes: UnsafeRawBufferPointer, limits: JSONLimits) throws(JSONError) -> JSONDocument {
        guard bytes.count <= min(limits.bytes, Int(Int32.max)) else {
            throw JSONError(offset: 0, reason: "text too long")
        }
        let document = JSONDocument(copying: bytes)
        var parser = JSONParser(document: document, limits: limits)
        try parser.parseText()
        return document
    }

    private init(document: JSONDocument, limits: JSONLimits) {
        self.document = document
        self.limits = limits
        text = UnsafePointer(document.text)
    }

    private func failure(_ reason: String) -> JSONError { JSONError(offset: position, reason: reason) }

    private mutating func parseText() throws(JSONError) {
        skipSpace()
        repeat {
            if try parseValue() { try endContainers() }
        } while container != JSONToken.none
        guard position == document.count else { throw failure("text after the value") }
    }

    private mutating func skipSpace() {
        while case let byte = text[position], byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 {
            position += 1
        }
    }

    /// Reads a value, or a container up to its first value. Returns whether the value is complete.
    private mutating func parseValue() throws(JSONError) -> Bool {
        switch text[position] {
        case UInt8(ascii: "{"): return try openContainer(.object, end: UInt8(ascii: "}"))
        case UInt8(ascii: "["): return try openContainer(.array, end: UInt8(ascii: "]"))
        case UInt8(ascii: "\""): try parseString()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try parseNumber()
        case UInt8(ascii: "t"): try parseLiteral("true", .bool)
        case UInt8(ascii: "f"): try parseLiteral("false", .bool)
        case UInt8(ascii: "n"): try parseLiteral("null", .null)
        default: throw failure("no value")
        }
        return true
    }

    private mutating func addScalar(_ kind: JSONToken.Kind, from start: Int, escaped: Bool = false) {
        let next = UInt32(truncatingIfNeeded: document.tapeCount + 1)
        document.append(JSONToken(kind, start: start, end: position, next: next, escaped: escaped))
    }
}

// MARK: Containers

extension JSONParser {
    private mutating func openContainer(_ kind: JSONToken.Kind, end: UInt8) throws(JSONError) -> Bool {
        guard depth < limits.depth else { throw failure("nested too deeply") }
        depth += 1
        container = document.append(JSONToken(kind, start: position, next: container))
        position += 1
        skipSpace()
        if text[position] == end {
            closeContainer()
            return true
        }
        if kind == .object { try parseKey() }
        return false
    }

    private mutating func closeContainer() {
        position += 1
        depth -= 1
        let index = Int(container)
        container = document.tape[index].next
        document.tape[index].end = UInt32(truncatingIfNeeded: position)
        document.tape[index].next = UInt32(truncatingIfNeeded: document.tapeCount)
    }

    /// After a value: closes the containers that end here, and goes to where the next value begins.
    private mutating func endContainers() throws(JSONError) {
        while true {
            skipSpace()
            guard container != JSONToken.none else { return }
            let isObject = document.token(container).kind == .object
            switch text[position] {
            case UInt8(ascii: ","):
                position += 1
                skipSpace()
                if isObject { try parseKey() }
                return
            case UInt8(ascii: "}") where isObject:
                let object = container
                closeContainer()
                if JSONKeys.repeats(in: object, of: document) {
                    throw JSONError(offset: position - 1, reason: "a name twice in one object")
                }
            case UInt8(ascii: "]") where !isObject:
                closeContainer()
            default:
                throw failure("neither a comma nor the end")
            }
        }
    }

    private mutating func parseKey() throws(JSONError) {
        guard text[position] == UInt8(ascii: "\"") else { throw failure("no name") }
        let index = Int(container)
        guard document.token(container).members < min(limits.members, JSONToken.mostMembers) else {
            throw failure("too many members")
        }
        document.tape[index].addMember()
        try parseString()
        skipSpace()
        guard text[position] == UInt8(ascii: ":") else { throw failure("no colon") }
        position += 1
        skipSpace()
    }
}

// MARK: Scalars

extension JSONParser {
    private mutating func parseLiteral(_ literal: StaticString, _ kind: JSONToken.Kind) throws(JSONError) {
        let start = position
        for index in 0..<literal.utf8CodeUnitCount {
            guard text[position] == literal.utf8Start[index] else { throw failure("no value") }
            position += 1
        }
        addScalar(kind, from: start)
    }

    private mutating func parseNumber() throws(JSONError) {
        let start = position
        var kind = JSONToken.Kind.integer
        if text[position] == UInt8(ascii: "-") { position += 1 }
        if text[position] == UInt8(ascii: "0") { position += 1 } else { try skipDigits() }
        if text[position] == UInt8(ascii: ".") {
            kind = .fraction
            position += 1
            try skipDigits()
        }
        if text[position] | 0x20 == UInt8(ascii: "e") {
            kind = .fraction
            position += 1
            if text[position] == UInt8(ascii: "+") || text[position] == UInt8(ascii: "-") { position += 1 }
            try skipDigits()
        }
        guard position - start <= Self.longestNumber else { throw failure("number too long") }
        addScalar(kind, from: start)
    }

    private mutating func skipDigits() throws(JSONError) {
        let start = position
        while case UInt8(ascii: "0")...UInt8(ascii: "9") = text[position] { position += 1 }
        guard position > start else { throw failure("no digit") }
    }

    private mutating func parseString() throws(JSONError) {
        position += 1
        let start = position
        var escaped = false
        while true {
            // At the end of the text the load stays within the padding.
            let word = UnsafeRawPointer(text + position).loadUnaligned(as: UInt64.self)
            let plain = JSONScan.plainPrefix(word)
            position += plain
            if plain == 8 { continue }
            switch text[position] {
            case UInt8(ascii: "\""):
                addScalar(.string, from: start, escaped: escaped)
                position += 1
                return
            case UInt8(ascii: "\\"):
                escaped = true
                try skipEscape()
            case ..<0x20:
                throw failure(position < document.count ? "control character in a string" : "no end of the string")
            default:
                let length = JSONScan.sequenceLength(text + position)
                guard length > 0 else { throw failure("no UTF-8") }
                position += length
            }
        }
    }

    private mutating func skipEscape() throws(JSONError) {
        position += 1
        switch text[position] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 1
        case UInt8(ascii: "u"):
            position += 1
            let unit = try parseUnit()
            guard unit & 0xf800 == 0xd800 else { return }
            guard unit < 0xdc00, text[position] == UInt8(ascii: "\\"), text[position + 1] == UInt8(ascii: "u") else {
                throw failure("half of a surrogate pair")
            }
            position += 2
            guard try parseUnit() & 0xfc00 == 0xdc00 else { throw failure("half of a surrogate pair") }
        default:
            throw failure("no escape")
        }
    }

    /// Four hexadecimal digits.
    private mutating func parseUnit() throws(JSONError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = JSONEscapes.digit(text[position]) else { throw failure("no hexadecimal digit") }
            unit = unit << 4 | UInt32(digit)
            position += 1
        }
        return unit
    }
}
