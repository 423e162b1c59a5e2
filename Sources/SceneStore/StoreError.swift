/// Why state cannot be read or written, in words for the one who has to mend it. Holds nothing secret.
package struct StoreError: Error, Equatable, CustomStringConvertible {
    package var reason: String

    package init(reason: String) {
        self.reason = reason
    }

    package var description: String { reason }
}
