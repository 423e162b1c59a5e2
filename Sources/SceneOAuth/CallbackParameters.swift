import SceneModel

/// What the login host sent the browser back with (RFC 6749, section 4.1.2; RFC 9207 for `iss`).
package struct CallbackParameters: Equatable, Sendable {
    package var code: Secret?
    package var state: String?
    package var error: String?
    package var errorDescription: String?
    package var iss: String?

    /// Reads a query, without its question mark. Nil where it is not well-formed, is longer than 16 KiB, or names a
    /// parameter twice (RFC 6749, section 3.1). Unknown parameters are ignored, empty ones are absent.
    package init?(query: String) {
        guard query.utf8.count <= 16 << 10, let pairs = Form.decode(query) else { return nil }
        var seen: Set<String> = []
        for (name, value) in pairs {
            guard seen.insert(name).inserted else { return nil }
            guard !value.isEmpty else { continue }
            switch name {
            case "code": code = Secret(value)
            case "state": state = value
            case "error": error = value
            case "error_description": errorDescription = value
            case "iss": iss = value
            default: break
            }
        }
    }

    func add(to query: inout Form) {
        if let code { query.add("code", code) }
        for (name, value) in [
            ("state", state), ("error", error), ("error_description", errorDescription), ("iss", iss),
        ] {
            if let value { query.add(name, value) }
        }
    }
}
