import SceneModel
import Varlink

/// Complete when the session has a current user, signing one in where there is none.
package enum LoginIfRequired: WireMethod {
    package static let name = "org.scened.Session.LoginIfRequired"

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
