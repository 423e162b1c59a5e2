import SceneModel
import Varlink

/// The accounts that are signed in, and which of them is current.
package enum ListAccounts: WireMethod {
    package static let name = "org.scened.Session.ListAccounts"

    package struct Parameters: WireRecord, Sendable {
        package var app = ""

        package init() {}

        package init(app: String) {
            self.app = app
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("app", &app)
        }
    }

    package struct Reply: WireRecord, Sendable {
        package var accounts: [Account] = []
        package var current: Account?
        package var at = Cursor()

        package init() {}

        package init(accounts: [Account], current: Account? = nil, at: Cursor) {
            self.accounts = accounts
            self.current = current
            self.at = at
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("accounts", &accounts)
            try coder.field("current", &current)
            try coder.field("at", &at)
        }
    }
}
