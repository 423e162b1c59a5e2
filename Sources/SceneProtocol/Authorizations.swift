import SceneModel
import Varlink

extension AuthorizationDecision: WireEnum {}

extension AuthorizationRequest: WireRecord {
    package init() { self.init(request: "") }

    package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
        try coder.field("request", &request)
        try coder.field("requestingApp", &requestingApp)
        try coder.field("loginHosts", &loginHosts)
        try coder.field("loginHint", &loginHint)
        try coder.field("presenter", &presenter)
        try coder.field("expiresInSeconds", &expiresInSeconds)
    }
}
