/// What all programs of this package are one version of.
package enum Product {
    package static let version = "0.1.0"
}
