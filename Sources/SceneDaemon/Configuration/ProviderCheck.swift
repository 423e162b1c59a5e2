// Which app asks which: known only when all have been read.

extension Configuration {
    /// An `IdentityProvider=` that cannot be asked is noted and left out: the app signs in at its login hosts.
    mutating func checkIdentityProviders() {
        let asked = apps.compactMapValues(\.identityProvider)
        for (name, provider) in asked.sorted(by: { $0.key < $1.key }) {
            guard let fault = fault(of: name, provider, asked), let app = apps[name] else { continue }
            apps[name]?.identityProvider = nil
            note(
                Problem(
                    file: app.identityProviderPlace.file, line: app.identityProviderPlace.line,
                    text: "IdentityProvider=\(provider): \(fault); the app signs in without", severity: .warning),
                of: name)
        }
    }

    private func fault(of name: String, _ provider: String, _ asked: [String: String]) -> String? {
        if provider == name { return "an app is not its own identity provider" }
        guard let configured = apps[provider] else {
            return "there is no such app, or it cannot be used"
        }
        guard configured.identityProviderFor.contains(name) else {
            return "\(provider) does not allow it: add IdentityProviderFor=\(name) to \(configured.source)"
        }
        var way = [name]
        var next: String? = provider
        while let app = next, !way.contains(app) {
            way.append(app)
            next = asked[app]
        }
        return next == name ? "it goes round in a circle (\((way + [name]).joined(separator: " asks ")))" : nil
    }

    private mutating func note(_ problem: Problem, of app: String) {
        problems.append(problem)
        for index in listing.indices where listing[index].name == app {
            listing[index].problems.append(problem.description)
        }
    }
}
