/// Goes over a record's fields by name: reads them, writes them, or notes what they are.
package struct FieldCoder {
    /// A field as the interface text has it.
    package struct Field: Hashable, Sendable {
        package var name: String
        package var type: String
    }

    private enum Mode { case reading, writing, describing }

    private let mode: Mode
    private var object: JSONElement?
    /// The member that is read if fields come in their own order, as our writer's do.
    private var expected: JSONElement.Member?
    /// Bit n: the object's nth member has been read. No record has more than 63 fields.
    private var consumed: UInt64 = 0
    /// How many have not.
    private var left = 0
    private var writer = JSONWriter()
    package private(set) var described: [Field] = []

    private init(_ mode: Mode) {
        self.mode = mode
    }

    package mutating func field<T: WireValue>(_ name: String, _ value: inout T) throws(WireError) {
        try code(name, &value)
    }

    /// Absent and null are alike, and leave the value as it is: nil in a new record. Nil is not written.
    package mutating func field<T: WireValue>(_ name: String, _ value: inout T?) throws(WireError) {
        // Where the member is absent, nothing needs T, which generic code looks up at run time.
        guard mode == .reading else { return try code(name, &value) }
        if let element = member(name) { try read(element, name, into: &value) }
    }

    /// A record that the interface text declares as `object`.
    package mutating func object<T: WireRecord>(_ name: String, _ value: inout T) throws(WireError) {
        if mode == .describing {
            note(name, JSONText.wireType)
        } else {
            try code(name, &value)
        }
    }

    private mutating func code<T: WireValue>(_ name: String, _ value: inout T) throws(WireError) {
        switch mode {
        case .reading:
            value = try T(wire: required(name), parameter: name)
        case .writing:
            writer.key(name)
            value.write(to: &writer)
        case .describing:
            note(name, T.wireType)
        }
    }

    private mutating func code<T: WireValue>(_ name: String, _ value: inout T?) throws(WireError) {
        switch mode {
        case .reading:
            if let element = member(name) { try read(element, name, into: &value) }
        case .writing:
            guard let value else { return }
            writer.key(name)
            value.write(to: &writer)
        case .describing:
            note(name, "?\(T.wireType)")
        }
    }
}

// MARK: The commonest types

// Generic calls from other modules look types up at run time, which would take longer than the rest of the work;
// these are compiled for their types.
extension FieldCoder {
    package mutating func field(_ name: String, _ value: inout String) throws(WireError) { try code(name, &value) }
    package mutating func field(_ name: String, _ value: inout String?) throws(WireError) { try code(name, &value) }
    package mutating func field(_ name: String, _ value: inout Int) throws(WireError) { try code(name, &value) }
    package mutating func field(_ name: String, _ value: inout Int?) throws(WireError) { try code(name, &value) }
    package mutating func field(_ name: String, _ value: inout Bool) throws(WireError) { try code(name, &value) }
    package mutating func field(_ name: String, _ value: inout Bool?) throws(WireError) { try code(name, &value) }
}

// MARK: Reading

extension FieldCoder {
    init(reading object: JSONElement?) {
        self.init(.reading)
        guard let object else { return }
        begin(object)
    }

    /// Strict, unless the element is being read leniently.
    static func read(_ record: inout some WireRecord, from object: JSONElement) throws(WireError) {
        var coder = FieldCoder(.reading)
        coder.begin(object)
        try record.fields(&coder)
        try coder.finishReading(object)
    }

    private mutating func begin(_ object: JSONElement) {
        self.object = object
        expected = object.firstMember
        left = object.isObject ? object.memberCount : 0
    }

    private mutating func required(_ name: String) throws(WireError) -> JSONElement {
        guard let element = member(name) else { throw WireError(parameter: name, problem: .missing) }
        return element
    }

    @inline(never)
    private func read<T: WireValue>(_ element: JSONElement, _ name: String, into value: inout T?) throws(WireError) {
        do {
            value = try T(wire: element, parameter: name)
        } catch {
            guard error.problem == .unknownValue, error.parameter == name, element.isLenient else { throw error }
            value = nil
        }
    }

    /// Nil where the member is absent or null.
    private mutating func member(_ name: String) -> JSONElement? {
        // Often nothing is left, and most fields are still to come.
        guard left > 0, let object, let member = object.member(name, expecting: expected) else { return nil }
        expected = object.member(after: member)
        consumed |= 1 << UInt64(member.ordinal)
        left -= 1
        return object.valueUnlessNull(of: member)
    }

    /// Refuses what no field has asked for.
    private func finishReading(_ object: JSONElement) throws(WireError) {
        guard !object.isLenient, left > 0 else { return }
        var place = object.firstMember
        while let member = place, consumed & (1 << UInt64(member.ordinal)) != 0 {
            place = object.member(after: member)
        }
        throw WireError(parameter: place.map { object.name(of: $0) } ?? "", problem: .unknownMember)
    }
}

// MARK: Writing and describing

extension FieldCoder {
    /// Takes the writer over: a second owner of its array would make each write a copy.
    static func writing(_ writer: inout JSONWriter) -> FieldCoder {
        var coder = FieldCoder(.writing)
        swap(&coder.writer, &writer)
        return coder
    }

    mutating func finishWriting(_ writer: inout JSONWriter) { swap(&self.writer, &writer) }

    static func describing() -> FieldCoder { FieldCoder(.describing) }

    private mutating func note(_ name: String, _ type: String) {
        described.append(Field(name: name, type: type))
    }
}
