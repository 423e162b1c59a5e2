import SceneModel
import Varlink

/// Make another account current.
package enum SwitchAccount: WireMethod {
    package static let name = "org.scened.Session.SwitchAccount"

    package struct Parameters: WireRecord, Sendable {
        package var app = ""
        package var scene: String?
        package var account = ""

        package init() {}

        package init(app: String, scene: String? = nil, account: String) {
            self.app = app
            self.scene = scene
            self.account = account
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("app", &app)
            try coder.field("scene", &scene)
            try coder.field("account", &account)
        }
    }

    package struct Reply: WireRecord, Sendable {
        package var account = Account()
        package var at = Cursor()

        package init() {}

        package init(account: Account, at: Cursor) {
            self.account = account
            self.at = at
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("account", &account)
            try coder.field("at", &at)
        }
    }
}
