/// Another app of the user asks this one, its identity provider, to let it sign in.
public struct AuthorizationRequest: Hashable, Sendable {
    public var request: String
    public var requestingApp: String
    /// The login hosts that it can sign in at: an account of one of these can be picked.
    public var loginHosts: [String]
    /// Whom it would like to sign in.
    public var loginHint: String?
    /// The scene that is to ask the user; any may answer.
    public var presenter: String
    public var expiresInSeconds: Int

    public init(
        request: String = "", requestingApp: String = "", loginHosts: [String] = [], loginHint: String? = nil,
        presenter: String = "", expiresInSeconds: Int = 0
    ) {
        self.request = request
        self.requestingApp = requestingApp
        self.loginHosts = loginHosts
        self.loginHint = loginHint
        self.presenter = presenter
        self.expiresInSeconds = expiresInSeconds
    }
}

/// What the user says to another app's request.
public enum AuthorizationDecision: String, CaseIterable, Hashable, Sendable {
    case approve, deny
}

extension String {
    /// In a sentence: an app that is named by its scheme, `com.example.notes:`, does without the colon.
    package var appInSentence: String { hasSuffix(":") ? String(dropLast()) : self }
}
