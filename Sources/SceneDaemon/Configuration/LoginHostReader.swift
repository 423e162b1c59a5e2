import SceneModel
import SceneOAuth
import SessionCore

// An app's login hosts: the administrator's are those of drop-ins, and come first.

extension AppReader {
    /// More is a mistake, or somebody's ill will: every login screen shows all of them.
    static let loginHostLimit = 1000

    mutating func readLoginHost(_ section: UnitFile.Section) {
        loginHostSections += 1
        guard loginHostSections <= Self.loginHostLimit else {
            if loginHostSections == Self.loginHostLimit + 1 {
                let text = "an app has \(Self.loginHostLimit) [LoginHost] sections at the most"
                note(text, section.file, section.line, .error)
            }
            return
        }
        let origin = section.file == app.source ? LoginHost.Origin.app : .managed
        var host = LoginHostConfiguration(host: LoginHost(origin: origin))
        for assignment in section.assignments { read(assignment, of: &host, section.file) }
        if host.host.label.isEmpty { host.host.label = host.host.url }
        let url = host.host.url
        if url.isEmpty {
            note("[LoginHost] needs URL=", section.file, section.line, .error)
        } else if namedLoginHosts[url] == origin {
            note("\(url) is a login host already", section.file, section.line, .warning)
        } else {
            // The administrator's counts where the app names it, too.
            if namedLoginHosts[url] != nil { app.loginHosts.removeAll { $0.host.url == url } }
            namedLoginHosts[url] = origin
            app.loginHosts.append(host)
            checkEndpoints(section, at: url)
        }
    }

    private mutating func read(
        _ assignment: UnitFile.Assignment, of host: inout LoginHostConfiguration, _ file: String
    ) {
        let value = assignment.value.isEmpty ? nil : assignment.value
        switch assignment.key {
        case "URL":
            do throws(Failure) {
                host.host.url = try LoginHostAddress.normalized(assignment.value)
            } catch {
                note("URL=: \(error.reason)", file, assignment.line, .error)
                host.host.url = assignment.value
            }
        case "Label":
            guard assignment.value.utf8.count <= Bounds.text else {
                let text = "Label= is too long; the address is shown in its place"
                return note(text, file, assignment.line, .warning)
            }
            host.host.label = assignment.value
        case "RevocationEndpoint": host.revocationEndpoint = assignment.value
        case "DeviceAuthorizationEndpoint": host.deviceAuthorizationEndpoint = assignment.value
        case "UserinfoEndpoint": host.userinfoEndpoint = assignment.value
        case "EndSessionEndpoint": host.endSessionEndpoint = assignment.value
        case "RedirectURI":
            host.redirectURI = value
            if value != nil { checkRedirectURI(assignment, file) }
        case "ClientAssertionAudience": host.assertionAudience = value
        default: unknown(assignment, "LoginHost", file)
        }
    }

    /// Endpoints that are not used are told, as the host's own metadata would take their place unnoticed.
    private mutating func checkEndpoints(_ section: UnitFile.Section, at host: String) {
        let keys: Set = [
            "RevocationEndpoint", "DeviceAuthorizationEndpoint", "UserinfoEndpoint", "EndSessionEndpoint",
        ]
        for endpoint in section.assignments where keys.contains(endpoint.key) && !endpoint.value.isEmpty {
            guard !LoginHostClient.canUse(endpoint: endpoint.value, at: host) else { continue }
            note(
                "\(endpoint.key)= is an address of https://, or on loopback where the login host is; it is ignored",
                section.file, endpoint.line, .warning)
        }
    }

    mutating func finishLoginHosts() {
        if app.loginHosts.isEmpty { note("at least one [LoginHost] with URL= is needed", app.source, nil, .error) }
        let managed = app.loginHosts.filter { $0.host.origin == .managed }
        app.loginHosts = managed + app.loginHosts.filter { $0.host.origin != .managed }
        guard app.onlyAuthorizedLoginHosts, managed.isEmpty else { return }
        let place = places["OnlyAuthorizedLoginHosts"]
        let text = "OnlyAuthorizedLoginHosts=yes needs a [LoginHost] in a drop-in (\(app.name).conf.d/*.conf)"
        note(text, place?.file ?? app.source, place?.line, .error)
    }
}

extension Failure {
    /// InvalidLoginHost's reason.
    fileprivate var reason: String {
        if case .invalidLoginHost(_, let reason) = self { reason } else { "\(self)" }
    }
}
