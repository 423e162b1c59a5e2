import Varlink

/// End the login that is under way.
package enum CancelLogin: WireMethod {
    package static let name = "org.scened.Session.CancelLogin"

    package struct Parameters: WireRecord, Sendable {
        package var app = ""
        package var scene: String?

        package init() {}

        package init(app: String, scene: String? = nil) {
            self.app = app
            self.scene = scene
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("app", &app)
            try coder.field("scene", &scene)
        }
    }

    package typealias Reply = Empty
}
