/// Reads Varlink's interface language. Comments and white space may stand between any two tokens.
struct InterfaceParser {
    /// Types within types; each level is a level of the stack.
    private static let depthLimit = 64

    private var scanner: InterfaceScanner
    /// Types that were named before it is known whether they exist, and where.
    private var references: [(name: String, place: Int)] = []

    init(_ text: String) {
        scanner = InterfaceScanner(text)
    }

    mutating func parse() throws(InterfaceError) -> InterfaceDescription {
        guard scanner.word() == "interface" else { throw scanner.failure("no `interface`") }
        var description = InterfaceDescription(name: try scanner.interfaceName())
        var names: Set<String> = []
        while let keyword = scanner.word() {
            let name = try scanner.name(of: keyword)
            guard names.insert(name).inserted else { throw scanner.failure("a second \(name)") }
            try parseMember(keyword, name, into: &description)
        }
        guard scanner.isAtEnd else { throw scanner.failure("neither type, method nor error") }
        let types = Set(description.types.map(\.name))
        for reference in references where !types.contains(reference.name) {
            throw scanner.failure("no type \(reference.name)", at: reference.place)
        }
        return description
    }

    private mutating func parseMember(
        _ keyword: String, _ name: String, into description: inout InterfaceDescription
    ) throws(InterfaceError) {
        switch keyword {
        case "type":
            description.types.append(.init(name: name, type: try group(depth: 0)))
        case "method":
            let parameters = try structure()
            try scanner.expect("->")
            description.methods.append(.init(name: name, parameters: parameters, reply: try structure()))
        case "error":
            description.errors.append(.init(name: name, parameters: try structure()))
        default:
            throw scanner.failure("neither type, method nor error")
        }
    }

    private mutating func structure() throws(InterfaceError) -> [InterfaceDescription.Field] {
        guard case .structure(let fields) = try group(depth: 0) else { throw scanner.failure("a field has no type") }
        return fields
    }

    /// What stands in parentheses: fields with types, or the names of an enumeration.
    private mutating func group(depth: Int) throws(InterfaceError) -> InterfaceType {
        guard depth < Self.depthLimit else { throw scanner.failure("nested too deeply") }
        try scanner.expect("(")
        if scanner.accept(")") { return .structure([]) }
        var fields: [InterfaceDescription.Field] = []
        var cases: [String] = []
        var names: Set<String> = []
        repeat {
            let name = try scanner.fieldName()
            guard names.insert(name).inserted else { throw scanner.failure("a second \(name)") }
            if scanner.accept(":") {
                fields.append(.init(name: name, type: try type(depth: depth + 1)))
            } else {
                cases.append(name)
            }
            guard fields.isEmpty || cases.isEmpty else { throw scanner.failure("fields mixed with names") }
        } while scanner.accept(",")
        try scanner.expect(")")
        return fields.isEmpty ? .enumeration(cases) : .structure(fields)
    }

    private mutating func type(depth: Int) throws(InterfaceError) -> InterfaceType {
        guard depth < Self.depthLimit else { throw scanner.failure("nested too deeply") }
        if scanner.accept("?") {
            let type = try type(depth: depth + 1)
            if case .optional = type { throw scanner.failure("twice optional") }
            return .optional(type)
        }
        if scanner.accept("[string]") { return .dictionary(try type(depth: depth + 1)) }
        if scanner.accept("[]") { return .array(try type(depth: depth + 1)) }
        if scanner.peek("(") { return try group(depth: depth) }
        let place = scanner.position
        guard let word = scanner.word() else { throw scanner.failure("no type") }
        switch word {
        case "bool": return .bool
        case "int": return .int
        case "float": return .float
        case "string": return .string
        case "object": return .object
        default:
            references.append((word, place))
            return .named(word)
        }
    }
}
