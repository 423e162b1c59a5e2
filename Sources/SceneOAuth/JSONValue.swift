import FoundationEssentials

/// JSON of a login host, whatever its shape; at most 32 levels deep.
enum JSONValue: Codable, Equatable, Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if decoder.codingPath.count > 32 {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "too deep")
        }
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .int(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if decoder.isArray {
            self = .array(try container.decode([JSONValue].self))
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    /// The members of an object; nil where the bytes are anything else.
    static func object(in bytes: [UInt8]) -> [String: JSONValue]? {
        try? JSONDecoder().decode([String: JSONValue].self, from: Data(bytes))
    }

    static func text(of object: [String: JSONValue]) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(object) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
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

extension Decoder {
    fileprivate var isArray: Bool { (try? unkeyedContainer()) != nil }
}
