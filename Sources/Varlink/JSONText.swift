/// Varlink's `object`: a JSON value that is passed through as it is.
package struct JSONText: Hashable, Sendable {
    package var text: String

    package init(text: String = "{}") {
        self.text = text
    }
}

extension JSONText: WireValue {
    package static var wireType: String { "object" }

    /// What is no JSON must not break the message around it, and becomes `{}`.
    package func write(to writer: inout JSONWriter) {
        let isValid = (try? JSONElement.parse(text)) != nil
        writer.raw(isValid ? text.utf8 : "{}".utf8)
    }

    package init(wire: JSONElement, parameter: String) throws(WireError) {
        text = wire.text
    }
}
