import SceneModel
import Varlink

extension Activation: WireEnum {}

extension SceneInfo: WireRecord {
    package static var wireType: String { "Scene" }

    package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
        try coder.field("app", &app)
        try coder.field("id", &id)
        try coder.field("title", &title)
        try coder.field("uid", &uid)
        try coder.field("pid", &pid)
        try coder.field("activation", &activation)
        try coder.field("connectedSeconds", &connectedSeconds)
        try coder.field("backlog", &backlog)
    }
}

extension AppInfo: WireRecord {
    package static var wireType: String { "App" }

    package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
        try coder.field("name", &name)
        try coder.field("displayName", &displayName)
        try coder.field("source", &source)
        try coder.field("problems", &problems)
    }
}

extension RevocationInfo: WireRecord {
    package static var wireType: String { "Revocation" }

    package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
        try coder.field("app", &app)
        try coder.field("loginHost", &loginHost)
        try coder.field("reason", &reason)
        try coder.field("attempts", &attempts)
        try coder.field("nextAttemptSeconds", &nextAttemptSeconds)
    }
}

extension Metric.Kind: WireEnum {}

extension Metric: WireRecord {
    package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
        try coder.field("name", &name)
        try coder.field("kind", &kind)
        try coder.field("unit", &unit)
        try coder.field("labels", &labels)
        try coder.field("value", &value)
    }
}

extension ServiceStatus: WireRecord {
    package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
        try coder.field("version", &version)
        try coder.field("uptimeSeconds", &uptimeSeconds)
        try coder.field("restoredScenes", &restoredScenes)
        try coder.field("scenes", &scenes)
        try coder.field("accounts", &accounts)
        try coder.field("sessions", &sessions)
        try coder.field("logins", &logins)
        try coder.field("storage", &storage)
        try coder.field("keySource", &keySource)
        try coder.field("problems", &problems)
    }
}
