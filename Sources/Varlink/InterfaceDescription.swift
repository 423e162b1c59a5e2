/// A parsed interface text.
package struct InterfaceDescription: Hashable, Sendable {
    package struct Field: Hashable, Sendable {
        package var name: String
        package var type: InterfaceType
    }

    package struct NamedType: Hashable, Sendable {
        package var name: String
        /// A structure or an enumeration.
        package var type: InterfaceType
    }

    package struct Method: Hashable, Sendable {
        package var name: String
        package var parameters: [Field]
        package var reply: [Field]
    }

    package struct ErrorType: Hashable, Sendable {
        package var name: String
        package var parameters: [Field]
    }

    /// `org.example.Interface`.
    package var name: String
    /// In the order of the text, as are all others.
    package var types: [NamedType] = []
    package var methods: [Method] = []
    package var errors: [ErrorType] = []

    /// Refuses what is no Varlink interface, a name that is given twice, and a type that is not there.
    package init(parsing text: String) throws(InterfaceError) {
        var parser = InterfaceParser(text)
        self = try parser.parse()
    }

    init(name: String) {
        self.name = name
    }
}

/// A Varlink type.
package indirect enum InterfaceType: Hashable, Sendable {
    case bool, int, float, string, object
    case named(String)
    case optional(InterfaceType)
    case array(InterfaceType)
    case dictionary(InterfaceType)
    case enumeration([String])
    case structure([InterfaceDescription.Field])

    /// The type on one line, without comments.
    package var text: String {
        switch self {
        case .bool: "bool"
        case .int: "int"
        case .float: "float"
        case .string: "string"
        case .object: "object"
        case .named(let name): name
        case .optional(let type): "?\(type.text)"
        case .array(let type): "[]\(type.text)"
        case .dictionary(let type): "[string]\(type.text)"
        case .enumeration(let cases): "(\(cases.joined(separator: ", ")))"
        case .structure(let fields): "(\(fields.map { "\($0.name): \($0.type.text)" }.joined(separator: ", ")))"
        }
    }
}

/// Where an interface text is wrong.
package struct InterfaceError: Error, Hashable, CustomStringConvertible {
    /// Counted from 1.
    package var line: Int
    package var reason: String

    package var description: String { "line \(line): \(reason)" }
}
