import SceneModel
import Varlink

/// What is still to be told to login hosts.
package enum ListRevocations: WireMethod {
    package static let name = "org.scened.Manager.ListRevocations"

    package typealias Parameters = Empty

    package struct Reply: WireRecord, Sendable {
        package var revocations: [RevocationInfo] = []

        package init() {}

        package init(revocations: [RevocationInfo]) {
            self.revocations = revocations
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("revocations", &revocations)
        }
    }
}
