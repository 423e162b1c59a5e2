/// Bounds that a text from outside must keep.
package struct JSONLimits: Sendable {
    /// Containers within containers.
    package var depth = 64
    /// Members of one object.
    package var members = 4096
    package var bytes = 1 << 20

    package init() {}
}

/// Why a text is no JSON, or none that we read. Never holds any of the text.
package struct JSONError: Error, Hashable, CustomStringConvertible {
    /// Bytes from the start of the text.
    package var offset: Int
    package var reason: String

    package var description: String { "\(reason) at byte \(offset)" }
}
