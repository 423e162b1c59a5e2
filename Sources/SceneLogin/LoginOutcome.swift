/// How a login ended, as its browser window tells.
package enum LoginOutcome: Hashable, Sendable {
    /// `wanted`: the account name that was asked for, where the login host signed in another.
    case signedIn(name: String?, wanted: String? = nil)
    case failed(LoginFault)
    case cancelled
    /// Cancelled, and the app has a place for those who go back.
    case wentBack(address: String)
    /// The app's identity provider is asked again.
    case handedBack(app: String)
}
