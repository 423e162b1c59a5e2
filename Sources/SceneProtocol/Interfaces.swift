/// What scenes speak.
package enum SessionInterface {
    package static let name = "org.scened.Session"
    /// The interface's text, as GetInterfaceDescription gives it.
    package static let text = String(decoding: PackageResources.org_scened_Session_varlink, as: UTF8.self)
}

/// What scenectl and monitoring speak.
package enum ManagerInterface {
    package static let name = "org.scened.Manager"
    package static let text = String(decoding: PackageResources.org_scened_Manager_varlink, as: UTF8.self)
}
