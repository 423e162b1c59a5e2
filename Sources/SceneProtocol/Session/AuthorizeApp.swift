import SceneModel
import Varlink

/// Answer another app's request for a sign-in through this app, its identity provider; or begin one.
package enum AuthorizeApp: WireMethod {
    package static let name = "org.scened.Session.AuthorizeApp"

    package struct Parameters: WireRecord, Sendable {
        package var app = ""
        package var scene = ""
        package var request: String?
        package var requestingApp: String?
        package var decision = AuthorizationDecision.deny
        package var account: String?
        package var code: String?
        package var description: String?

        package init() {}

        package init(
            app: String, scene: String, request: String? = nil, requestingApp: String? = nil,
            decision: AuthorizationDecision, account: String? = nil, code: String? = nil, description: String? = nil
        ) {
            self.app = app
            self.scene = scene
            self.request = request
            self.requestingApp = requestingApp
            self.decision = decision
            self.account = account
            self.code = code
            self.description = description
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("app", &app)
            try coder.field("scene", &scene)
            try coder.field("request", &request)
            try coder.field("requestingApp", &requestingApp)
            try coder.field("decision", &decision)
            try coder.field("account", &account)
            try coder.field("code", &code)
            try coder.field("description", &description)
        }
    }

    package struct Reply: WireRecord, Sendable {
        package var loginScreen: String?
        package var authorizationUri: String?
        package var message: String?

        package init() {}

        package init(loginScreen: String? = nil, authorizationUri: String? = nil, message: String? = nil) {
            self.loginScreen = loginScreen
            self.authorizationUri = authorizationUri
            self.message = message
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("loginScreen", &loginScreen)
            try coder.field("authorizationUri", &authorizationUri)
            try coder.field("message", &message)
        }
    }
}
