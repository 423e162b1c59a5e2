import SceneOAuth
import SessionCore

// Which app asks which: known only when all have been read.

extension Configuration {
    /// An `IdentityProvider=` that cannot be asked is noted and left out: the app signs in at its login hosts.
    mutating func checkIdentityProviders() {
        let asked = apps.compactMapValues(\.identityProvider)
        let circular = Self.circular(asked)
        for (name, provider) in asked.sorted(by: { $0.key < $1.key }) {
            guard let app = apps[name] else { continue }
            if let fault = fault(of: name, provider, asked, circular) {
                apps[name]?.identityProvider = nil
                warn(
                    "IdentityProvider=\(provider): \(fault); the app signs in without", app.identityProviderPlace, name)
            } else if provider.isScheme {
                warnOfLoopback(app, provider)
            }
        }
        for (name, app) in apps.sorted(by: { $0.key < $1.key }) where app.messageSchemes.isEmpty {
            guard let scheme = app.identityProviderFor.first(where: \.isScheme) else { continue }
            let text = "IdentityProviderFor=\(scheme): it reaches an app that has a private scheme; add MessageScheme="
            warn(text, app.identityProviderForPlace, name)
        }
    }

    /// Who is asked by a URL can send the login host's answer to a private scheme alone.
    private mutating func warnOfLoopback(_ app: AppConfiguration, _ provider: String) {
        for host in app.loginHosts {
            guard let redirectURI = host.redirectURI, !Self.hasScheme(redirectURI) else { continue }
            let text = "it is not asked for logins at \(host.host.url), whose RedirectURI= has no private scheme"
            warn("IdentityProvider=\(provider): \(text)", app.identityProviderPlace, app.name)
        }
    }

    private static func hasScheme(_ redirectURI: String) -> Bool {
        IdentityProviderMessage.isScheme(redirectURI.prefix { $0 != ":" })
    }

    /// What cannot be started is started without.
    mutating func checkDesktopEntries(in directories: [String]) {
        for (name, app) in apps.sorted(by: { $0.key < $1.key }) {
            guard let entry = app.desktopEntry, DesktopEntries.path(of: entry, in: directories) == nil else { continue }
            let text = "there is no desktop entry \(entry) in \(directories.joined(separator: ", "))"
            warn("IdentityProviderDesktopEntry=: \(text)", app.desktopEntryPlace, name)
        }
    }

    private func fault(
        of name: String, _ provider: String, _ asked: [String: String], _ circular: Set<String>
    ) -> String? {
        if provider == name { return "an app is not its own identity provider" }
        if provider.isScheme {
            guard let app = apps[name], Self.hasScheme(app.redirectURI) else {
                return "it is asked by apps whose own RedirectURI= has a private scheme, such as com.example.mail"
            }
            let isOwn = app.messageSchemes.contains(String(provider.dropLast()))
            return isOwn ? "an app is not its own identity provider" : nil
        }
        guard let configured = apps[provider] else {
            return "there is no such app, or it cannot be used"
        }
        guard configured.identityProviderFor.contains(name) else {
            return "\(provider) does not allow it: add IdentityProviderFor=\(name) to \(configured.source)"
        }
        guard circular.contains(name) else { return nil }
        var way = [name, provider]
        while way.count < 8, let last = way.last, last != name, let next = asked[last] { way.append(next) }
        return "it goes round in a circle (\((way + (way.last == name ? [] : ["…"])).joined(separator: " asks ")))"
    }

    /// The apps that come to be asked by themselves. Each is looked at once, however many ask each other.
    private static func circular(_ asked: [String: String]) -> Set<String> {
        var seen: Set<String> = []
        var circular: Set<String> = []
        for start in asked.keys where !seen.contains(start) {
            var way: [String] = []
            var places: [String: Int] = [:]
            var next: String? = start
            while let app = next, seen.insert(app).inserted {
                places[app] = way.count
                way.append(app)
                next = asked[app]
            }
            if let next, let first = places[next] { circular.formUnion(way[first...]) }
        }
        return circular
    }

    private mutating func warn(_ text: String, _ place: AppConfiguration.Place, _ app: String) {
        let problem = Problem(file: place.file, line: place.line, text: text, severity: .warning)
        problems.append(problem)
        for index in listing.indices where listing[index].name == app {
            listing[index].problems.append(problem.description)
        }
    }
}
