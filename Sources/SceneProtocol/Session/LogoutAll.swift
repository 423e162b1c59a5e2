import SceneModel
import Varlink

/// Sign out every account, as one change.
package enum LogoutAll: WireMethod {
    package static let name = "org.scened.Session.LogoutAll"

    package struct Parameters: WireRecord, Sendable {
        package var app = ""
        package var scene: String?
        package var reason: String?

        package init() {}

        package init(app: String, scene: String? = nil, reason: String? = nil) {
            self.app = app
            self.scene = scene
            self.reason = reason
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("app", &app)
            try coder.field("scene", &scene)
            try coder.field("reason", &reason)
        }
    }

    package struct Reply: WireRecord, Sendable {
        package var results: [LogoutResult] = []
        package var at = Cursor()

        package init() {}

        package init(results: [LogoutResult], at: Cursor) {
            self.results = results
            self.at = at
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("results", &results)
            try coder.field("at", &at)
        }
    }
}
