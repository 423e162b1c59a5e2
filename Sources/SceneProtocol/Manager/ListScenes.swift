import SceneModel
import Varlink

/// The scenes that are connected.
package enum ListScenes: WireMethod {
    package static let name = "org.scened.Manager.ListScenes"

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
        package var scenes: [SceneInfo] = []

        package init() {}

        package init(scenes: [SceneInfo]) {
            self.scenes = scenes
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("scenes", &scenes)
        }
    }
}
