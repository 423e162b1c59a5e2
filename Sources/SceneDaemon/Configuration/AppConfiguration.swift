import SceneModel
import SceneOAuth
import SessionCore

/// A login host as an app's file names it, with endpoints that the host's own metadata lacks.
struct LoginHostConfiguration: Hashable, Sendable {
    var host: LoginHost
    var revocationEndpoint: String?
    var deviceAuthorizationEndpoint: String?
    var userinfoEndpoint: String?
    var endSessionEndpoint: String?
    /// Whom a `private_key_jwt` assertion is made out to, where that is not the issuer.
    var assertionAudience: String?
    /// In place of the app's.
    var redirectURI: String?
}

/// One app: `apps.d/NAME.conf` and its drop-ins.
struct AppConfiguration: Hashable, Sendable {
    var name: String
    var source: String
    var displayName: String
    var clientID = ""
    /// A path, or `credential:NAME` for one that the service manager hands over.
    var clientSecretFile: String?
    /// Likewise, with a private key.
    var clientKeyFile: String?
    var clientKeyID: String?
    var clientAuthentication = ClientAuthenticationMethod.auto
    /// `max_age` of every login, seconds.
    var defaultMaxAge: Int?
    var scopes = "openid profile email offline_access"
    var redirectURI = "http://127.0.0.1/callback"
    var afterLogout = AppPolicy.AfterLogout.follow
    /// The app whose scenes are asked first, where somebody has to sign in; and where that is written.
    var identityProvider: String?
    var identityProviderPlace = Place()
    /// The apps that may ask this one.
    var identityProviderFor: [String] = []
    /// Of the user's service manager; started where one of them asks and no scene is there.
    var unit: String?
    /// Empty: any process of the user.
    var allowedUnits: [String] = []
    var allowedExecutables: [String] = []
    var loginHosts: [LoginHostConfiguration] = []
    var screen = LoginScreen()

    struct Place: Hashable, Sendable {
        var file = ""
        var line = 0
    }

    init(name: String, source: String) {
        self.name = name
        self.source = source
        displayName = name
    }

    func redirectURI(at host: String) -> String {
        loginHosts.first { $0.host.url == host }?.redirectURI ?? redirectURI
    }

    var canChangeLoginHost: Bool { screen.showsNavigationBar && screen.showsSettingsIcon }

    /// The login screen with the session's login hosts on it.
    func screen(of session: Session) -> LoginScreen {
        var screen = screen
        screen.loginHosts = session.loginHosts
        screen.canAddLoginHost = canChangeLoginHost
        return screen
    }

    var policy: AppPolicy {
        var policy = AppPolicy(
            app: name, afterLogout: afterLogout, loginHosts: loginHosts.map(\.host),
            canChangeLoginHost: canChangeLoginHost)
        policy.identityProvider = identityProvider
        policy.identityProviderFor = Set(identityProviderFor)
        policy.canBeStarted = unit != nil
        return policy
    }
}

/// Reads an app out of its files' sections; all faults are noted.
struct AppReader {
    var app: AppConfiguration
    private(set) var problems: [Problem] = []
    /// Where the keys that name credential files stand.
    var places: [String: (file: String, line: Int)] = [:]
    let credentials: String?

    /// Nil after `finish` where the app cannot be used. `credentials` is the service manager's directory of them.
    static func read(
        name: String, files: [UnitFile], source: String, credentials: String? = nil
    ) -> (app: AppConfiguration?, problems: [Problem]) {
        var reader = AppReader(app: AppConfiguration(name: name, source: source), credentials: credentials)
        for file in files {
            reader.problems += file.problems
            for section in file.sections { reader.read(section) }
        }
        reader.finish()
        let isBroken = reader.problems.contains { $0.severity == .error }
        return (isBroken ? nil : reader.app, reader.problems)
    }

    private init(app: AppConfiguration, credentials: String?) {
        self.app = app
        self.credentials = credentials
    }

    private mutating func read(_ section: UnitFile.Section) {
        switch section.name {
        case "App":
            for assignment in section.assignments { readApp(assignment, section.file) }
        case "LoginHost":
            readLoginHost(section)
        case "LoginScreen":
            for assignment in section.assignments { readScreen(assignment, section.file) }
        default:
            note("there is no section [\(section.name)] in an app", section.file, section.line, .warning)
        }
    }

    private mutating func readApp(_ assignment: UnitFile.Assignment, _ file: String) {
        let value = assignment.value
        switch assignment.key {
        case "Name": app.displayName = value.isEmpty ? app.name : value
        case "ClientID": app.clientID = value
        case "ClientSecretFile", "ClientKeyFile", "ClientKeyID", "ClientAuthentication":
            readClientAuthentication(assignment, file)
        case "DefaultMaxAge": readMaxAge(assignment, file)
        case "Scopes": app.scopes = value
        case "RedirectURI":
            app.redirectURI = value
            checkRedirectURI(assignment, file)
        case "IdentityProvider":
            app.identityProvider = value.isEmpty ? nil : value
            app.identityProviderPlace = AppConfiguration.Place(file: file, line: assignment.line)
        case "IdentityProviderFor": Self.extend(&app.identityProviderFor, value)
        case "IdentityProviderUnit":
            app.unit = value.isEmpty ? nil : value
            if !value.isEmpty, !Self.isService(value) {
                note(
                    "IdentityProviderUnit= is the name of a service, such as notes.service", file, assignment.line,
                    .error)
            }
        case "AllowedUnits": Self.extend(&app.allowedUnits, value)
        case "AllowedExecutables": Self.extend(&app.allowedExecutables, value)
        case "AfterLogout":
            if let choice = AppPolicy.AfterLogout(rawValue: value) {
                app.afterLogout = choice
            } else {
                let choices = AppPolicy.AfterLogout.allCases.map(\.rawValue).joined(separator: ", ")
                note("AfterLogout= is one of \(choices)", file, assignment.line, .error)
            }
        default: unknown(assignment, "App", file)
        }
    }

    /// systemd.unit(5)
    private static func isService(_ name: String) -> Bool {
        name.hasSuffix(".service") && (9...255).contains(name.utf8.count) && !name.hasPrefix("-")
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ":-_.\\@".contains($0)) }
    }

    /// A list goes on where it is assigned again, and starts anew after an empty assignment, as in systemd's units.
    private static func extend(_ list: inout [String], _ value: String) {
        list = value.isEmpty ? [] : list + value.split(whereSeparator: \.isWhitespace).map(String.init)
    }

    private mutating func readLoginHost(_ section: UnitFile.Section) {
        var host = LoginHostConfiguration(host: LoginHost(origin: .app))
        for assignment in section.assignments {
            switch assignment.key {
            case "URL":
                do throws(Failure) {
                    host.host.url = try LoginHostAddress.normalized(assignment.value)
                } catch {
                    note("URL=: \(error.reason)", section.file, assignment.line, .error)
                    host.host.url = assignment.value
                }
            case "Label": host.host.label = assignment.value
            case "RevocationEndpoint": host.revocationEndpoint = assignment.value
            case "DeviceAuthorizationEndpoint": host.deviceAuthorizationEndpoint = assignment.value
            case "UserinfoEndpoint": host.userinfoEndpoint = assignment.value
            case "EndSessionEndpoint": host.endSessionEndpoint = assignment.value
            case "RedirectURI":
                host.redirectURI = assignment.value.isEmpty ? nil : assignment.value
                if host.redirectURI != nil { checkRedirectURI(assignment, section.file) }
            case "ClientAssertionAudience":
                host.assertionAudience = assignment.value.isEmpty ? nil : assignment.value
            default: unknown(assignment, "LoginHost", section.file)
            }
        }
        if host.host.label.isEmpty { host.host.label = host.host.url }
        if host.host.url.isEmpty {
            note("[LoginHost] needs URL=", section.file, section.line, .error)
        } else if app.loginHosts.contains(where: { $0.host.url == host.host.url }) {
            note("\(host.host.url) is a login host already", section.file, section.line, .warning)
        } else {
            app.loginHosts.append(host)
        }
    }

    private mutating func readScreen(_ assignment: UnitFile.Assignment, _ file: String) {
        let value = assignment.value.isEmpty ? nil : assignment.value
        switch assignment.key {
        case "Title": app.screen.title = value ?? "Log In"
        case "ShowsNavigationBar": readBool(assignment, file, \.showsNavigationBar)
        case "ShowsSettingsIcon": readBool(assignment, file, \.showsSettingsIcon)
        case "ShowsBackButton": readBool(assignment, file, \.showsBackButton)
        case "NavigationBarColor": app.screen.navigationBarColor = value
        case "NavigationBarTextColor": app.screen.navigationBarTextColor = value
        case "NavigationBarFont": app.screen.navigationBarFont = value
        case "Logo": app.screen.logo = value
        case "StyleSheet": app.screen.styleSheet = value
        case "SettingsIcon": app.screen.settingsIcon = value
        default: unknown(assignment, "LoginScreen", file)
        }
    }

    /// The words that systemd takes for a boolean.
    private mutating func readBool(
        _ assignment: UnitFile.Assignment, _ file: String, _ target: WritableKeyPath<LoginScreen, Bool>
    ) {
        switch assignment.value.lowercased() {
        case "yes", "true", "on", "1": app.screen[keyPath: target] = true
        case "no", "false", "off", "0": app.screen[keyPath: target] = false
        default: note("\(assignment.key)= is yes or no", file, assignment.line, .error)
        }
    }

    private mutating func finish() {
        if app.clientID.isEmpty { note("[App] needs ClientID=", app.source, nil, .error) }
        if app.loginHosts.isEmpty { note("at least one [LoginHost] with URL= is needed", app.source, nil, .error) }
        checkClientAuthentication()
    }

    private mutating func checkRedirectURI(_ assignment: UnitFile.Assignment, _ file: String) {
        let uri = assignment.value
        if !uri.contains(":") { note("RedirectURI= is no URI", file, assignment.line, .error) }
        if uri.hasPrefix("http"), !isOnLoopback(uri) {
            note("RedirectURI= is http:// on 127.0.0.1, [::1] or localhost", file, assignment.line, .error)
        }
    }

    private func isOnLoopback(_ uri: String) -> Bool {
        uri.hasPrefix("http://") && (try? LoginHostAddress.normalized(String(uri.prefix { $0 != "?" }))) != nil
    }

    private mutating func unknown(_ assignment: UnitFile.Assignment, _ section: String, _ file: String) {
        note("there is no \(assignment.key)= in [\(section)]; it is ignored", file, assignment.line, .warning)
    }

    mutating func note(_ text: String, _ file: String, _ line: Int?, _ severity: Problem.Severity) {
        problems.append(Problem(file: file, line: line, text: text, severity: severity))
    }
}

extension Failure {
    /// InvalidLoginHost's reason.
    var reason: String {
        if case .invalidLoginHost(_, let reason) = self { reason } else { "\(self)" }
    }
}
