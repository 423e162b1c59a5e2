/// How a login ended, as its browser window tells.
package enum LoginOutcome: Hashable, Sendable {
    case signedIn(name: String?)
    /// What went wrong, in words for the user.
    case failed(message: String)
    case cancelled
}
