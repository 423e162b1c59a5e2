/// Messages as they go over the wire, with the NUL that ends them.
package enum VarlinkMessage {
    /// What most messages fit in.
    private static let usualSize = 512

    package static func reply(_ parameters: some WireRecord, continues: Bool = false) -> [UInt8] {
        message { writer in
            writer.key("parameters")
            parameters.write(to: &writer)
            if continues { writer.flag("continues") }
        }
    }

    package static func error(_ name: String, _ parameters: some WireRecord) -> [UInt8] {
        message { writer in
            writer.key("error")
            writer.string(name)
            writer.key("parameters")
            parameters.write(to: &writer)
        }
    }

    package static func error(_ name: String) -> [UInt8] { error(name, Empty()) }

    package static func call<Method: WireMethod>(
        _: Method.Type, _ parameters: Method.Parameters, more: Bool = false, oneway: Bool = false
    ) -> [UInt8] {
        message { writer in
            writer.key("method")
            writer.string(Method.name)
            writer.key("parameters")
            parameters.write(to: &writer)
            if more { writer.flag("more") }
            if oneway { writer.flag("oneway") }
        }
    }

    private static func message(_ content: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(capacity: usualSize)
        writer.beginObject()
        content(&writer)
        writer.endObject()
        writer.endMessage()
        return writer.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func flag(_ name: String) {
        key(name)
        bool(true)
    }
}

// MARK: Errors that every service can answer with

extension VarlinkMessage {
    package static func interfaceNotFound(_ interface: String) -> [UInt8] {
        error("org.varlink.service.InterfaceNotFound", Named("interface", interface))
    }

    package static func methodNotFound(_ method: String) -> [UInt8] {
        error("org.varlink.service.MethodNotFound", Named("method", method))
    }

    /// The interface has the method, and this service does not.
    package static func methodNotImplemented(_ method: String) -> [UInt8] {
        error("org.varlink.service.MethodNotImplemented", Named("method", method))
    }

    package static func invalidParameter(_ parameter: String) -> [UInt8] {
        error("org.varlink.service.InvalidParameter", Named("parameter", parameter))
    }

    package static func permissionDenied() -> [UInt8] { error("org.varlink.service.PermissionDenied") }

    /// The method answers with a stream, and the call did not say `more`.
    package static func expectedMore() -> [UInt8] { error("org.varlink.service.ExpectedMore") }

    /// One string under a name.
    private struct Named: WireRecord {
        private var name = ""
        private var value = ""

        init() {}

        init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }

        mutating func fields(_ coder: inout FieldCoder) throws(WireError) { try coder.field(name, &value) }
    }
}
