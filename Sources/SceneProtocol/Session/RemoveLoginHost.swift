import Varlink

/// Take back a login host that the user added.
package enum RemoveLoginHost: WireMethod {
    package static let name = "org.scened.Session.RemoveLoginHost"

    package struct Parameters: WireRecord, Sendable {
        package var app = ""
        package var scene: String?
        package var url = ""

        package init() {}

        package init(app: String, scene: String? = nil, url: String) {
            self.app = app
            self.scene = scene
            self.url = url
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("app", &app)
            try coder.field("scene", &scene)
            try coder.field("url", &url)
        }
    }

    package typealias Reply = Empty
}
