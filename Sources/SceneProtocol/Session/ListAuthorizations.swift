import SceneModel
import Varlink

/// What other apps ask this one as their identity provider, and nobody has answered yet.
package enum ListAuthorizations: WireMethod {
    package static let name = "org.scened.Session.ListAuthorizations"

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
        package var requests: [AuthorizationRequest] = []

        package init() {}

        package init(requests: [AuthorizationRequest]) {
            self.requests = requests
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("requests", &requests)
        }
    }
}
