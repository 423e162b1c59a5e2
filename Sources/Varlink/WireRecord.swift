/// A Varlink struct. One function describes its fields, for reading, for writing and for comparing with the text.
package protocol WireRecord: WireValue {
    init()
    /// Names each field, in the order of the interface text.
    mutating func fields(_ coder: inout FieldCoder) throws(WireError)
}

extension WireRecord {
    package static var wireType: String { "\(Self.self)" }

    package static var wireFields: [FieldCoder.Field] {
        var coder = FieldCoder.describing()
        var record = Self()
        try? record.fields(&coder)
        return coder.described
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        var coder = FieldCoder.writing(&writer)
        var record = self
        // Only reading has what could fail.
        try? record.fields(&coder)
        coder.finishWriting(&writer)
        writer.endObject()
    }

    /// Strict, unless the element is being read leniently.
    package init(wire: JSONElement, parameter: String) throws(WireError) {
        guard wire.isObject else { throw WireError(parameter: parameter) }
        self.init()
        do {
            try FieldCoder.read(&self, from: wire)
        } catch {
            throw error.within(parameter)
        }
    }

    /// This record with its fields read, as `init(lenient:)` reads them.
    package func reading(_ parameters: JSONElement?) throws(WireError) -> Self {
        var lenient = parameters
        lenient?.isLenient = true
        var record = self
        var coder = FieldCoder(reading: lenient)
        try record.fields(&coder)
        return record
    }

    /// A call's parameters, where none are as good as an empty object. What is unknown is an error.
    package init(parameters: JSONElement?) throws(WireError) {
        if let parameters {
            try self.init(wire: parameters, parameter: "")
        } else {
            self.init()
            var none = FieldCoder(reading: nil)
            try fields(&none)
        }
    }

    /// A reply's parameters, for clients: unknown members are ignored, and unknown values of optional enums are nil.
    package init(lenient: JSONElement?) throws(WireError) {
        var lenient = lenient
        lenient?.isLenient = true
        try self.init(parameters: lenient)
    }
}

/// No parameters, or a reply that says nothing but "done".
package struct Empty: WireRecord, Hashable, Sendable {
    package init() {}
    package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {}
}
