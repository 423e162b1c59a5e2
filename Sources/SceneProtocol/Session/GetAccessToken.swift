import SceneModel
import Varlink

/// An access token that lives for at least `minimumValiditySeconds` (default 60).
package enum GetAccessToken: WireMethod {
    package static let name = "org.scened.Session.GetAccessToken"

    package struct Parameters: WireRecord, Sendable {
        package var app = ""
        package var account: String?
        package var minimumValiditySeconds: Int?
        package var rejected: Secret?
        package var scope: String?
        package var audience: String?

        package init() {}

        package init(
            app: String, account: String? = nil, minimumValiditySeconds: Int? = nil, rejected: Secret? = nil,
            scope: String? = nil, audience: String? = nil
        ) {
            self.app = app
            self.account = account
            self.minimumValiditySeconds = minimumValiditySeconds
            self.rejected = rejected
            self.scope = scope
            self.audience = audience
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("app", &app)
            try coder.field("account", &account)
            try coder.field("minimumValiditySeconds", &minimumValiditySeconds)
            try coder.field("rejected", &rejected)
            try coder.field("scope", &scope)
            try coder.field("audience", &audience)
        }
    }

    package struct Reply: WireRecord, Sendable {
        package var token = AccessToken()

        package init() {}

        package init(token: AccessToken) {
            self.token = token
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("token", &token)
        }
    }
}
