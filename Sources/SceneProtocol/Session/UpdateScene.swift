import SceneModel
import Varlink

/// Tell whether the user looks at this scene.
package enum UpdateScene: WireMethod {
    package static let name = "org.scened.Session.UpdateScene"

    package struct Parameters: WireRecord, Sendable {
        package var app = ""
        package var scene = ""
        package var activation: Activation?
        package var title: String?

        package init() {}

        package init(app: String, scene: String, activation: Activation? = nil, title: String? = nil) {
            self.app = app
            self.scene = scene
            self.activation = activation
            self.title = title
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("app", &app)
            try coder.field("scene", &scene)
            try coder.field("activation", &activation)
            try coder.field("title", &title)
        }
    }

    package typealias Reply = Empty
}
