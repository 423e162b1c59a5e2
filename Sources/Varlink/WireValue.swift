/// A Swift type that has a Varlink type.
package protocol WireValue {
    /// The type as an interface text writes it: `string`, `[]Account`, `(foreground, background)`.
    static var wireType: String { get }
    func write(to writer: inout JSONWriter)
    /// `parameter` names the value in the error.
    init(wire: JSONElement, parameter: String) throws(WireError)
}

extension String: WireValue {
    package static var wireType: String { "string" }

    package func write(to writer: inout JSONWriter) { writer.string(self) }

    package init(wire: JSONElement, parameter: String) throws(WireError) {
        guard let value = wire.string else { throw WireError(parameter: parameter) }
        self = value
    }
}

extension Int: WireValue {
    package static var wireType: String { "int" }

    package func write(to writer: inout JSONWriter) { writer.int(self) }

    package init(wire: JSONElement, parameter: String) throws(WireError) {
        guard let value = wire.int else { throw WireError(parameter: parameter) }
        self = value
    }
}

extension Double: WireValue {
    package static var wireType: String { "float" }

    package func write(to writer: inout JSONWriter) { writer.double(self) }

    package init(wire: JSONElement, parameter: String) throws(WireError) {
        guard let value = wire.double else { throw WireError(parameter: parameter) }
        self = value
    }
}

extension Bool: WireValue {
    package static var wireType: String { "bool" }

    package func write(to writer: inout JSONWriter) { writer.bool(self) }

    package init(wire: JSONElement, parameter: String) throws(WireError) {
        guard let value = wire.bool else { throw WireError(parameter: parameter) }
        self = value
    }
}

extension Array: WireValue where Element: WireValue {
    package static var wireType: String { "[]\(Element.wireType)" }

    package func write(to writer: inout JSONWriter) {
        writer.beginArray()
        for element in self { element.write(to: &writer) }
        writer.endArray()
    }

    package init(wire: JSONElement, parameter: String) throws(WireError) {
        guard let elements = wire.elements else { throw WireError(parameter: parameter) }
        self.init()
        reserveCapacity(elements.count)
        for element in elements { append(try Element(wire: element, parameter: parameter)) }
    }
}

extension Dictionary: WireValue where Key == String, Value: WireValue {
    package static var wireType: String { "[string]\(Value.wireType)" }

    /// In the order of the keys, so that equal values have equal texts.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        for (key, value) in sorted(by: { $0.key < $1.key }) {
            writer.key(key)
            value.write(to: &writer)
        }
        writer.endObject()
    }

    package init(wire: JSONElement, parameter: String) throws(WireError) {
        guard let members = wire.members else { throw WireError(parameter: parameter) }
        self.init()
        for (key, value) in members { self[key] = try Value(wire: value, parameter: "\(parameter).\(key)") }
    }
}

/// A Varlink enum. Its cases stand in the order of the interface text.
package protocol WireEnum: WireValue, RawRepresentable<String>, CaseIterable {}

extension WireEnum {
    package static var wireType: String { "(\(allCases.map(\.rawValue).joined(separator: ", ")))" }

    package func write(to writer: inout JSONWriter) { writer.string(rawValue) }

    package init(wire: JSONElement, parameter: String) throws(WireError) {
        guard let name = wire.string else { throw WireError(parameter: parameter) }
        guard let value = Self(rawValue: name) else { throw WireError(parameter: parameter, problem: .unknownValue) }
        self = value
    }
}
