import SceneModel
import Varlink

extension Secret: WireValue {
    package static var wireType: String { String.wireType }

    package func write(to writer: inout JSONWriter) {
        withBytes { writer.utf8($0) }
    }

    package convenience init(wire: JSONElement, parameter: String) throws(WireError) {
        self.init(try String(wire: wire, parameter: parameter))
    }
}

extension Account.State: WireEnum {}

extension Account: WireRecord {
    package init() { self.init(id: "") }

    package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
        try coder.field("id", &id)
        try coder.field("issuer", &issuer)
        try coder.field("subject", &subject)
        try coder.field("loginHost", &loginHost)
        try coder.field("username", &username)
        try coder.field("displayName", &displayName)
        try coder.field("email", &email)
        try coder.field("picture", &picture)
        try coder.field("state", &state)
    }
}

extension AccessToken: WireRecord {
    package init() { self.init(value: Secret("")) }

    package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
        try coder.field("value", &value)
        try coder.field("type", &type)
        try coder.field("account", &account)
        try coder.field("expiresInSeconds", &expiresInSeconds)
        try coder.field("scope", &scope)
        try coder.field("instanceUrl", &instanceUrl)
    }
}

extension LogoutResult.Remote: WireEnum {}

extension LogoutResult: WireRecord {
    package init() { self.init(account: Account()) }

    package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
        try coder.field("account", &account)
        try coder.field("remote", &remote)
        try coder.field("endSessionUri", &endSessionUri)
    }
}
