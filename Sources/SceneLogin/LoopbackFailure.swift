/// Why the addresses of a login could not be opened.
package enum LoopbackFailure: Error, Hashable, Sendable {
    /// Something else listens on the port that the redirect URI names.
    case portTaken(UInt16)
    /// Not a loopback address; what is wrong with it.
    case unsupportedRedirectURI(String)
    case system(String)
}
