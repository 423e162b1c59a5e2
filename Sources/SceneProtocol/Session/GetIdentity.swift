import SceneModel
import Varlink

/// Who the user is, as the login host last signed it: the ID token, and its claims and userinfo's.
package enum GetIdentity: WireMethod {
    package static let name = "org.scened.Session.GetIdentity"

    package struct Parameters: WireRecord, Sendable {
        package var app = ""
        package var account: String?

        package init() {}

        package init(app: String, account: String? = nil) {
            self.app = app
            self.account = account
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("app", &app)
            try coder.field("account", &account)
        }
    }

    package struct Reply: WireRecord, Sendable {
        package var idToken: Secret?
        package var claims = JSONText()

        package init() {}

        package init(idToken: Secret? = nil, claims: JSONText) {
            self.idToken = idToken
            self.claims = claims
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("idToken", &idToken)
            try coder.field("claims", &claims)
        }
    }
}
