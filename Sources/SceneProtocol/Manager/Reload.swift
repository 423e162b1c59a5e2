import SceneModel
import Varlink

/// Read the configuration again.
package enum Reload: WireMethod {
    package static let name = "org.scened.Manager.Reload"

    package typealias Parameters = Empty

    package struct Reply: WireRecord, Sendable {
        package var apps: [AppInfo] = []

        package init() {}

        package init(apps: [AppInfo]) {
            self.apps = apps
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("apps", &apps)
        }
    }
}
