import SceneModel
import Varlink

/// How the login screen looks, and which login hosts it offers.
package enum GetLoginScreen: WireMethod {
    package static let name = "org.scened.Session.GetLoginScreen"

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
        package var screen = LoginScreen()

        package init() {}

        package init(screen: LoginScreen) {
            self.screen = screen
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("screen", &screen)
        }
    }
}
