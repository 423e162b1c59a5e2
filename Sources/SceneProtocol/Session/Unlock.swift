import Varlink

/// Hand out tokens again.
package enum Unlock: WireMethod {
    package static let name = "org.scened.Session.Unlock"

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
