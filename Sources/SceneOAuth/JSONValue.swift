import Varlink

/// JSON of a login host, whatever its shape. Strict (RFC 8259), with no name twice in one object, as RFC 7519, section 4
/// asks for: which of two claims counts must not depend on the reader.
enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    private init(_ element: JSONElement) {
        if let text = element.string {
            self = .string(text)
        } else if let value = element.bool {
            self = .bool(value)
        } else if let value = element.int {
            self = .int(Int64(value))
        } else if let value = element.double {
            self = .double(value)
        } else if let elements = element.elements {
            self = .array(elements.map(JSONValue.init))
        } else if let members = element.members {
            self = .object(JSONValue.dictionary(members))
        } else {
            self = .null
        }
    }

    private static func dictionary(_ members: [(key: String, value: JSONElement)]) -> [String: JSONValue] {
        Dictionary(members.map { ($0.key, JSONValue($0.value)) }) { first, _ in first }
    }

    /// The members of an object of at most 32 levels; nil where the bytes are anything else.
    static func object(in bytes: [UInt8]) -> [String: JSONValue]? {
        try? members(of: bytes)
    }

    /// The same, or why not. A byte order mark is skipped, as some hosts send one.
    static func members(of bytes: [UInt8]) throws(JSONFault) -> [String: JSONValue] {
        let text = bytes.dropFirst(bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0)
        guard text.first(where: { !JSONFault.isSpace($0) }) == UInt8(ascii: "{") else { throw .noObject }
        var limits = JSONLimits()
        limits.depth = 32
        let parsed = text.withUnsafeBytes { bytes in
            Result { () throws(JSONError) in try JSONElement.parse(bytes, limits: limits) }
        }
        switch parsed {
        case .success(let element): return dictionary(element.members ?? [])
        case .failure(let error):
            let isCut = error.offset >= text.count || text.last(where: { !JSONFault.isSpace($0) }) != UInt8(ascii: "}")
            throw isCut ? .cut : .malformed(error.description)
        }
    }

    static func text(of object: [String: JSONValue]) -> String {
        var writer = JSONWriter()
        JSONValue.object(object).write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .int(let value): writer.int(Int(value))
        case .double(let value): writer.double(value)
        case .string(let value): writer.string(value)
        case .array(let values):
            writer.beginArray()
            for value in values { value.write(to: &writer) }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                writer.key(name)
                value.write(to: &writer)
            }
            writer.endObject()
        }
    }
}

/// Why an answer holds no JSON object that can be used; it never holds any of the answer.
enum JSONFault: Error, Equatable {
    /// A page of HTML, say.
    case noObject
    /// It breaks off.
    case cut
    case malformed(String)

    fileprivate static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09
    }
}

extension JSONValue {
    var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    var elements: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    var strings: [String]? {
        elements.map { $0.compactMap(\.string) }
    }

    /// A number as whole units, rounded down and saturating.
    var whole: Int? {
        switch self {
        case .int(let value): Int(value)
        case .double(let value): Int(exactly: value.rounded(.down)) ?? (value < 0 ? .min : .max)
        default: nil
        }
    }
}
