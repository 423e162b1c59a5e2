import SceneModel
import Varlink

/// The apps that are configured, and what is wrong with their configuration.
package enum ListApps: WireMethod {
    package static let name = "org.scened.Manager.ListApps"

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
