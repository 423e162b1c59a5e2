import SceneModel
import Varlink

/// Become a scene and follow the session; the call goes on until the scene closes the connection. Needs `more`.
package enum ConnectScene: WireMethod {
    package static let name = "org.scened.Session.ConnectScene"

    package struct Parameters: WireRecord, Sendable {
        package var app = ""
        package var scene: String?
        package var title: String?
        package var after: Cursor?

        package init() {}

        package init(app: String, scene: String? = nil, title: String? = nil, after: Cursor? = nil) {
            self.app = app
            self.scene = scene
            self.title = title
            self.after = after
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("app", &app)
            try coder.field("scene", &scene)
            try coder.field("title", &title)
            try coder.field("after", &after)
        }
    }

    package struct Reply: WireRecord, Sendable {
        package var event = Event()

        package init() {}

        package init(event: Event) {
            self.event = event
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("event", &event)
        }
    }
}
