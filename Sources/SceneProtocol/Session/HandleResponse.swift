import Varlink

/// Hand over a URL that the desktop opened: an authorization response, or an identity provider app's message.
package enum HandleResponse: WireMethod {
    package static let name = "org.scened.Session.HandleResponse"

    package struct Parameters: WireRecord, Sendable {
        package var url = ""
        package var scene: String?

        package init() {}

        package init(url: String, scene: String? = nil) {
            self.url = url
            self.scene = scene
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("url", &url)
            try coder.field("scene", &scene)
        }
    }

    package struct Reply: WireRecord, Sendable {
        package var handled = false
        package var open: String?

        package init() {}

        package init(handled: Bool, open: String? = nil) {
            self.handled = handled
            self.open = open
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("handled", &handled)
            try coder.field("open", &open)
        }
    }
}
