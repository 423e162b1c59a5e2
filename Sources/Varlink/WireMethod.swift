/// A method of an interface: its name on the wire, and what goes in and out.
package protocol WireMethod {
    /// `org.example.Interface.Method`.
    static var name: String { get }
    associatedtype Parameters: WireRecord
    associatedtype Reply: WireRecord
}
