/// Why the addresses of a login could not be opened.
package enum LoopbackFailure: Error, Hashable, Sendable {
    /// Something else listens on the port that the redirect URI names.
    case portTaken(UInt16)
    /// Not a loopback address; what is wrong with it.
    case unsupportedRedirectURI(String)
    case system(String)
}

extension LoopbackFailure {
    /// What is wrong with a redirect URI.
    package var reason: String {
        if case .unsupportedRedirectURI(let reason) = self { reason } else { description }
    }
}

extension LoopbackFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .portTaken(let port): "port \(port) of the redirect URI is in use by another program"
        case .unsupportedRedirectURI(let reason): "the redirect URI cannot be used: \(reason)"
        case .system(let reason): "the login's loopback address cannot be opened: \(reason)"
        }
    }
}
