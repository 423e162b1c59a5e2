import SceneModel
import Varlink

/// Offer one more login host to the user.
package enum AddLoginHost: WireMethod {
    package static let name = "org.scened.Session.AddLoginHost"

    package struct Parameters: WireRecord, Sendable {
        package var app = ""
        package var scene: String?
        package var url = ""
        package var label: String?

        package init() {}

        package init(app: String, scene: String? = nil, url: String, label: String? = nil) {
            self.app = app
            self.scene = scene
            self.url = url
            self.label = label
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("app", &app)
            try coder.field("scene", &scene)
            try coder.field("url", &url)
            try coder.field("label", &label)
        }
    }

    package struct Reply: WireRecord, Sendable {
        package var loginHost = LoginHost()

        package init() {}

        package init(loginHost: LoginHost) {
            self.loginHost = loginHost
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("loginHost", &loginHost)
        }
    }
}
