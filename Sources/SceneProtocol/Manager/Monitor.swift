import SceneModel
import Varlink

/// Every history entry of the sessions that the caller may see, as it happens. Needs `more`. A restart is no event.
package enum Monitor: WireMethod {
    package static let name = "org.scened.Manager.Monitor"

    package struct Parameters: WireRecord, Sendable {
        package var app: String?

        package init() {}

        package init(app: String? = nil) {
            self.app = app
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("app", &app)
        }
    }

    package struct Reply: WireRecord, Sendable {
        package var app = ""
        package var uid = 0
        package var event = Event()

        package init() {}

        package init(app: String, uid: Int, event: Event) {
            self.app = app
            self.uid = uid
            self.event = event
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("app", &app)
            try coder.field("uid", &uid)
            try coder.object("event", &event)
        }
    }
}
