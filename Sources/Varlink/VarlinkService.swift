/// org.varlink.service: what every Varlink service tells about itself.
package enum VarlinkService {
    package static let name = "org.varlink.service"

    /// Who serves, and which interfaces.
    package enum GetInfo: WireMethod {
        package static let name = "org.varlink.service.GetInfo"

        package typealias Parameters = Empty

        package struct Reply: WireRecord, Hashable, Sendable {
            package var vendor = ""
            package var product = ""
            package var version = ""
            package var url = ""
            package var interfaces: [String] = []

            package init() {}

            package init(vendor: String, product: String, version: String, url: String, interfaces: [String]) {
                self.vendor = vendor
                self.product = product
                self.version = version
                self.url = url
                self.interfaces = interfaces
            }

            package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
                try coder.field("vendor", &vendor)
                try coder.field("product", &product)
                try coder.field("version", &version)
                try coder.field("url", &url)
                try coder.field("interfaces", &interfaces)
            }
        }
    }

    /// An interface's text.
    package enum GetInterfaceDescription: WireMethod {
        package static let name = "org.varlink.service.GetInterfaceDescription"

        package struct Parameters: WireRecord, Hashable, Sendable {
            package var interface = ""

            package init() {}

            package init(interface: String) {
                self.interface = interface
            }

            package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
                try coder.field("interface", &interface)
            }
        }

        package struct Reply: WireRecord, Hashable, Sendable {
            package var description = ""

            package init() {}

            package init(description: String) {
                self.description = description
            }

            package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
                try coder.field("description", &description)
            }
        }
    }

    package static let interfaceText = """
        # Every Varlink service has this interface: it says who serves, and what.
        interface org.varlink.service

        # Who serves, and the names of the interfaces that are served.
        method GetInfo() -> (
          vendor: string,
          product: string,
          version: string,
          url: string,
          interfaces: []string
        )

        # The text of an interface.
        method GetInterfaceDescription(interface: string) -> (description: string)

        # No such interface is served.
        error InterfaceNotFound (interface: string)

        # The interface has no such method.
        error MethodNotFound (method: string)

        # The interface has the method, but this service does not.
        error MethodNotImplemented (method: string)

        # A parameter is missing, unknown, or not what it has to be.
        error InvalidParameter (parameter: string)

        # The caller may not call this.
        error PermissionDenied ()

        # The method answers with a stream: call it with `more`.
        error ExpectedMore ()

        """
}
