import SceneModel
import Varlink

/// How the service stands.
package enum GetStatus: WireMethod {
    package static let name = "org.scened.Manager.GetStatus"

    package typealias Parameters = Empty
    package typealias Reply = ServiceStatus
}
