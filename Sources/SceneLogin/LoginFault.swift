/// What went wrong with a login, in people's words, and behind them what was said of it for those who can mend it.
package struct LoginFault: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case denied, expired, unreachable, storage, foreign, other
        case timedOut = "timed-out"
        /// What was taken for a login host does not answer as one.
        case notAHost = "not-a-host"
        /// The login host's answer fails a check: its ID token, say.
        case notInOrder = "not-in-order"
        /// The login host does not accept the app, its secret or its scopes.
        case appRefused = "app-refused"
        /// The app's secret or key cannot be read.
        case appCredential = "app-credential"
        /// The login host has a fault of its own.
        case hostTroubled = "host-troubled"
        /// It refused for another reason.
        case refused
        /// Another user signed in than was picked in the identity provider app.
        case otherUser = "other-user"
        case signedOut = "signed-out"
        /// No port to listen on.
        case machine
    }

    package enum Detail: Hashable, Sendable {
        /// Ours, in English.
        case ours(String)
        /// The login host's own words, in whichever language, or its code.
        case hosts(String)
    }

    package var kind: Kind
    package var detail: Detail?

    package init(_ kind: Kind, _ detail: Detail? = nil) {
        self.kind = kind
        self.detail = detail
    }

    /// What happened, what is to be done, and the detail where there is one.
    func html(_ messages: Messages, host: String) -> [HTML] {
        let values = ["host": HTML.isolated(host)]
        let texts = ["what", "todo"].map { messages.html("fault.\(kind.rawValue).\($0)", values) }
        return texts + (detail.map { [$0.html(messages)] } ?? [])
    }
}

extension LoginFault.Detail {
    fileprivate func html(_ messages: Messages) -> HTML {
        switch self {
        case .ours(let text):
            let words = HTML.element("span", ["lang": "en"], content: .text(Self.trimmed(text)))
            return messages.html("fault.detail", ["detail": words])
        case .hosts(let text):
            // Its language is not known, and is not the page's.
            let words = HTML.element("bdi", ["lang": ""], content: .text(Self.trimmed(text)))
            return messages.html("fault.host-says", ["words": words])
        }
    }

    private static func trimmed(_ text: String) -> String {
        String(text.reversed().drop { $0 == "." || $0.isWhitespace }.reversed())
    }
}
