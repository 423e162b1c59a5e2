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
            members.append((member.name, member.value))
            place = self.member(after: member)
        }
        return members
    }

    package subscript(key: String) -> JSONElement? {
        var place = firstMember
        while let member = place {
            if member.isNamed(key) { return member.value }
            place = self.member(after: member)
        }
        return nil
    }

    /// A member in place: nothing is copied out of the document until asked for.
    struct Member {
        let value: JSONElement
        /// Counted from the object's first.
        let ordinal: Int

        private var key: UInt32 { value.index - 1 }
        var name: String { value.document.string(key) }
        func isNamed(_ name: String) -> Bool { value.document.string(key, is: name) }
    }

    var firstMember: Member? {
        guard isObject, memberCount > 0 else { return nil }
        return Member(value: JSONElement(document, index + 2, isLenient), ordinal: 0)
    }

    func member(after member: Member) -> Member? {
        let key = member.value.token.next
        guard key < token.next else { return nil }
        return Member(value: JSONElement(document, key + 1, isLenient), ordinal: member.ordinal + 1)
    }
}
