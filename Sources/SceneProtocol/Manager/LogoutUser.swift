import Varlink

/// Sign a Unix user's accounts out, in one app or in all.
package enum LogoutUser: WireMethod {
    package static let name = "org.scened.Manager.LogoutUser"

    package struct Parameters: WireRecord, Sendable {
        package var uid = 0
        package var app: String?
        package var reason: String?

        package init() {}

        package init(uid: Int, app: String? = nil, reason: String? = nil) {
            self.uid = uid
            self.app = app
            self.reason = reason
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("uid", &uid)
            try coder.field("app", &app)
            try coder.field("reason", &reason)
        }
    }

    package struct Reply: WireRecord, Sendable {
        package var accounts = 0

        package init() {}

        package init(accounts: Int) {
            self.accounts = accounts
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("accounts", &accounts)
        }
    }
}
