import Varlink

/// Hand out no more tokens until the session is unlocked.
package enum Lock: WireMethod {
    package static let name = "org.scened.Session.Lock"

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

    package typealias Reply = Empty
}
