/// What there is below the address of a login's screen.
enum ScreenAddress: String {
    case screen = ""
    /// The way to the login host.
    case go
    /// Answered once the way is known.
    case wait
    case hosts
    case back
    case logo
    case icon

    var isPicture: Bool { self == .logo || self == .icon }
    var takesForms: Bool { self == .go || self == .hosts || self == .back }
}

/// What a user does on the login screen.
package enum ScreenAction: Hashable, Sendable {
    /// Go on to the login host, under this account name; it may be empty.
    case signIn(accountName: String)
    case selectHost(url: String)
    case removeHost(url: String)
    case addHost(url: String, label: String)
    /// Nobody is to be signed in.
    case goBack

    /// Nil for a form that the page does not have.
    init?(_ address: ScreenAddress, form: String) {
        func field(_ name: String) -> String? {
            if case .once(let value) = RequestTarget.parameter(name, of: form) { value } else { nil }
        }
        switch address {
        case .go:
            guard let name = field("account") else { return nil }
            self = .signIn(
                accountName: String(name.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()))
        case .back:
            self = .goBack
        case .hosts:
            if let url = field("select") {
                self = .selectHost(url: url)
            } else if let url = field("remove") {
                self = .removeHost(url: url)
            } else if field("add") != nil, let url = field("address") {
                self = .addHost(url: url, label: field("label") ?? "")
            } else {
                return nil
            }
        default: return nil
        }
    }
}

/// What came of it.
package enum ScreenActionResult: Sendable {
    /// The user is on the way to the login host.
    case goOn
    case screen
    case hosts
    case refused(HostProblem)
    case invalidAccountName
    case ended(LoginOutcome)
}
