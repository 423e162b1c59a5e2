/// One value of a parsed document; cheap to copy, and keeps the document alive.
package struct JSONElement: Sendable {
    let document: JSONDocument
    let index: UInt32
    /// What is read out of this value may hold more than the reader knows, see `WireRecord.init(lenient:)`.
    var isLenient = false

    private init(_ document: JSONDocument, _ index: UInt32, _ isLenient: Bool = false) {
        self.document = document
        self.index = index
        self.isLenient = isLenient
    }

    /// Validates the whole text: RFC 8259, UTF-8, no name twice in one object. Copies the bytes.
    package static func parse(
        _ bytes: UnsafeRawBufferPointer, limits: JSONLimits = JSONLimits()
    ) throws(JSONError) -> JSONElement {
        JSONElement(try JSONParser.parse(bytes, limits: limits), 0)
    }

    package static func parse(_ text: String, limits: JSONLimits = JSONLimits()) throws(JSONError) -> JSONElement {
        var text = text
        let result = text.withUTF8 { bytes in
            Result { () throws(JSONError) in try parse(UnsafeRawBufferPointer(bytes), limits: limits) }
        }
        return try result.get()
    }

    private var token: JSONToken { document.token(index) }

    /// The value's JSON text, as it was written.
    package var text: String {
        let range = token.range
        let quotes = token.kind == .string ? 1 : 0
        return String(
            decoding: document.bytes(range.lowerBound - quotes..<range.upperBound + quotes), as: UTF8.self)
    }
}

// MARK: Scalars

extension JSONElement {
    package var isNull: Bool { token.kind == .null }

    package var bool: Bool? { token.kind == .bool ? document.text[Int(token.start)] == UInt8(ascii: "t") : nil }

    var isString: Bool { token.kind == .string }

    /// Whether it is this string, byte for byte.
    func isString(_ text: String) -> Bool { isString && document.string(index, is: text) }

    package var string: String? { token.kind == .string ? document.string(index) : nil }

    /// Nil where the number has a fraction or an exponent, or does not fit.
    package var int: Int? {
        guard token.kind == .integer else { return nil }
        var digits = document.bytes(token.range)[...]
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative { digits = digits.dropFirst() }
        var value = 0
        for digit in digits {
            let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
            let step = Int(digit) - 0x30
            let (sum, overflow) = product.addingReportingOverflow(isNegative ? -step : step)
            if tooLarge || overflow { return nil }
            value = sum
        }
        return value
    }

    /// Nil where the number is beyond a Double.
    package var double: Double? {
        guard token.kind == .integer || token.kind == .fraction else { return nil }
        return Double(String(decoding: document.bytes(token.range), as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
    }
}

// MARK: Containers

extension JSONElement {
    package var isObject: Bool { token.kind == .object }
    package var isArray: Bool { token.kind == .array }
    var memberCount: Int { token.members }

    package var elements: [JSONElement]? {
        guard isArray else { return nil }
        var elements: [JSONElement] = []
        var child = index + 1
        while child < token.next {
            elements.append(JSONElement(document, child, isLenient))
            child = document.token(child).next
        }
        return elements
    }

    package var members: [(key: String, value: JSONElement)]? {
        guard isObject else { return nil }
        var members: [(key: String, value: JSONElement)] = []
        members.reserveCapacity(memberCount)
        var place = firstMember
        while let member = place {
            members.append((name(of: member), value(of: member)))
            place = self.member(after: member)
        }
        return members
    }

    package subscript(key: String) -> JSONElement? {
        member(key, from: firstMember).map { value(of: $0) }
    }

    /// A member's place in this object; means nothing in another.
    struct Member {
        fileprivate let key: UInt32
        /// Counted from the object's first.
        let ordinal: Int
    }

    var firstMember: Member? {
        isObject && memberCount > 0 ? Member(key: index + 1, ordinal: 0) : nil
    }

    func member(after member: Member) -> Member? {
        let next = document.token(member.key + 1).next
        return next < token.next ? Member(key: next, ordinal: member.ordinal + 1) : nil
    }

    /// The first that has the name, among `start` and those after it.
    func member(_ name: String, from start: Member?) -> Member? {
        var place = start
        while let member = place, !document.string(member.key, is: name) { place = self.member(after: member) }
        return place
    }

    /// The same, looked for at `expected` first.
    func member(_ name: String, expecting expected: Member?) -> Member? {
        if let expected, isNamed(expected, name) { return expected }
        return member(name, from: firstMember)
    }

    func valueUnlessNull(of member: Member) -> JSONElement? {
        document.token(member.key + 1).kind == .null ? nil : value(of: member)
    }

    func name(of member: Member) -> String { document.string(member.key) }

    func value(of member: Member) -> JSONElement { JSONElement(document, member.key + 1, isLenient) }

    func isNamed(_ member: Member, _ name: String) -> Bool { document.string(member.key, is: name) }
}
