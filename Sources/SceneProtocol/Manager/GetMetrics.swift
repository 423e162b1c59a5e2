import SceneModel
import Varlink

/// Counters and gauges of the service.
package enum GetMetrics: WireMethod {
    package static let name = "org.scened.Manager.GetMetrics"

    package typealias Parameters = Empty

    package struct Reply: WireRecord, Sendable {
        package var metrics: [Metric] = []

        package init() {}

        package init(metrics: [Metric]) {
            self.metrics = metrics
        }

        package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
            try coder.field("metrics", &metrics)
        }
    }
}
