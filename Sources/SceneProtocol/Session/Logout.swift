import SceneModel
import Varlink

/// Sign out one account, the current one by default, in every scene and at its login host.
package enum Logout: WireMethod {
    package static let name = "org.scened.Session.Logout"

    package struct Parameters: WireRecord, Sendable {
        package var app = ""
        package var scene: String?
        package var account: String?
        package var reason: String?

        package init() {}

        package init(app: String, scene: String? = nil, account: String? = nil, reason: String? = nil) {
            self.app = app
            self.scene = scene
            self.account = account
            self.reason = reason
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("app", &app)
            try coder.field("scene", &scene)
            try coder.field("account", &account)
            try coder.field("reason", &reason)
        }
    }

    package struct Reply: WireRecord, Sendable {
        package var result = LogoutResult()
        package var at = Cursor()

        package init() {}

        package init(result: LogoutResult, at: Cursor) {
            self.result = result
            self.at = at
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("result", &result)
            try coder.field("at", &at)
        }
    }
}
