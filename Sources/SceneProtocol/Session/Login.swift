import SceneModel
import Varlink

/// Sign in one more account and make it current.
package enum Login: WireMethod {
    package static let name = "org.scened.Session.Login"

    package struct Parameters: WireRecord, Sendable {
        package var app = ""
        package var scene: String?
        package var options: LoginOptions?

        package init() {}

        package init(app: String, scene: String? = nil, options: LoginOptions? = nil) {
            self.app = app
            self.scene = scene
            self.options = options
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("app", &app)
            try coder.field("scene", &scene)
            try coder.field("options", &options)
        }
    }

    package struct Reply: WireRecord, Sendable {
        package var progress = LoginProgress()

        package init() {}

        package init(progress: LoginProgress) {
            self.progress = progress
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("progress", &progress)
        }
    }
}
