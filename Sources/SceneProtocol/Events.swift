import SceneModel
import Varlink

extension Cursor: WireRecord {
    package init() { self.init(epoch: "") }

    package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
        try coder.field("epoch", &epoch)
        try coder.field("sequence", &sequence)
    }
}

extension Pending: WireEnum {}

extension Snapshot: WireRecord {
    package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
        try coder.field("accounts", &accounts)
        try coder.field("current", &current)
        try coder.field("pending", &pending)
        try coder.field("loginUnderWay", &loginUnderWay)
        try coder.field("presenter", &presenter)
        try coder.field("loginHost", &loginHost)
        try coder.field("locked", &locked)
    }
}

extension Event.Kind: WireEnum {}

extension Event: WireRecord {
    package init() { self.init(.snapshot) }

    package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
        try coder.field("kind", &kind)
        try coder.field("at", &at)
        try coder.field("scene", &scene)
        try coder.field("gap", &gap)
        try coder.field("snapshot", &snapshot)
        try coder.field("previous", &previous)
        try coder.field("current", &current)
        try coder.field("account", &account)
        try coder.field("reason", &reason)
        try coder.field("accounts", &accounts)
        try coder.field("presenter", &presenter)
        try coder.field("previousLoginHost", &previousLoginHost)
        try coder.field("loginHost", &loginHost)
        try coder.field("request", &request)
        try coder.field("requestingApp", &requestingApp)
    }
}
