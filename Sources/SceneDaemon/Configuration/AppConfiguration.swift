import SceneLogin
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
    /// Where a browser goes once the user's session at the login host has ended.
    var postLogoutRedirectURI: String?
    var afterLogout = AppPolicy.AfterLogout.follow
    var lock = AppPolicy.Lock.call
    /// The app whose scenes are asked first, where somebody has to sign in; and where that is written.
    var identityProvider: String?
    var identityProviderPlace = Place()
    /// The apps that may ask this one.
    var identityProviderFor: [String] = []
    var identityProviderForPlace = Place()
    /// Of the user's service manager; started where one of them asks and no scene is there.
    var unit: String?
    /// Likewise, a desktop entry's file name.
    var desktopEntry: String?
    var desktopEntryPlace = Place()
    /// Where the desktop hands over messages of apps that talk through URLs, besides redirect URIs.
    var messageScheme: String?
    /// Empty: any process of the user.
    var allowedUnits: [String] = []
    var allowedExecutables: [String] = []
    /// The administrator's, which drop-ins name, and then the app's.
    var loginHosts: [LoginHostConfiguration] = []
    /// Users sign in at none but the administrator's; accounts of others stay.
    var onlyAuthorizedLoginHosts = false
    var screen = LoginScreen()
    var appearance = Appearance()
    /// Nil: where there is a current user or an identity provider to go back to.
    var showsBackButton: Bool?
    var backButtonAction = BackButtonAction.auto

    enum BackButtonAction: Hashable, Sendable {
        /// To the current user, or else to the identity provider.
        case auto
        case cancel, identityProvider
        /// Where the browser goes once the login is cancelled.
        case address(String)
    }

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

    /// Where messages of other apps come to: first the one that it answers from.
    var messageSchemes: [String] {
        let redirects = [redirectURI] + loginHosts.compactMap(\.redirectURI)
        return [messageScheme].compactMap { $0 }
            + redirects.map { $0.prefix { $0 != ":" }.lowercased() }.filter { IdentityProviderMessage.isScheme($0) }
    }

    var canChangeLoginHost: Bool { screen.showsNavigationBar && screen.showsSettingsIcon }

    /// The login screen with the session's login hosts on it.
    ///
    /// - Parameter canAskProvider: the identity provider is there, and the login could go back to it.
    func screen(of session: Session, canAskProvider: Bool) -> LoginScreen {
        var screen = screen
        screen.loginHosts = session.loginHosts
        screen.canAddLoginHost = canChangeLoginHost && !onlyAuthorizedLoginHosts
        let hasUser = session.current != nil
        screen.showsBackButton = showsBackButton ?? (hasUser || canAskProvider)
        if screen.showsBackButton {
            screen.backButtonAction =
                switch backButtonAction {
                case .address(let address): address
                case .identityProvider where canAskProvider: "identityProvider"
                case .auto where canAskProvider && !hasUser: "identityProvider"
                case .auto, .cancel, .identityProvider: "cancel"
                }
        }
        return screen
    }

    var policy: AppPolicy {
        let shown = loginHosts.map(\.host).filter { !onlyAuthorizedLoginHosts || $0.origin == .managed }
        var policy = AppPolicy(
            app: name, afterLogout: afterLogout, loginHosts: shown,
            canChangeLoginHost: canChangeLoginHost, onlyManagedLoginHosts: onlyAuthorizedLoginHosts,
            lock: lock)
        policy.identityProvider = identityProvider
        policy.identityProviderFor = Set(identityProviderFor)
        policy.canBeStarted = unit != nil || desktopEntry != nil
        return policy
    }
}

/// Reads an app out of its files' sections; all faults are noted.
struct AppReader {
    var app: AppConfiguration
    private(set) var problems: [Problem] = []
    /// Where the keys that name credential files stand.
    var places: [String: (file: String, line: Int)] = [:]
    /// Where each login host is named, by its address.
    var namedLoginHosts: [String: LoginHost.Origin] = [:]
    var loginHostSections = 0
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
        case "Scopes":
            app.scopes = value
            // RFC 6749, section 3.3. Quotes are taken for a part of a scope.
            if !value.utf8.allSatisfy({ (0x20...0x7e).contains($0) && $0 != 0x22 && $0 != 0x5c }) {
                let text = "Scopes= are words with spaces between them, without quotes and backslashes"
                note(text, file, assignment.line, .error)
            }
        case "RedirectURI":
            app.redirectURI = value
            checkRedirectURI(assignment, file)
        case "PostLogoutRedirectURI":
            app.postLogoutRedirectURI = value.isEmpty ? nil : value
            if !value.isEmpty, !Self.canEnd(at: value) {
                note(
                    "PostLogoutRedirectURI= is an address of https://, of http:// on loopback, or of a private scheme "
                        + "with a dot, such as com.example.notes:/signed-out", file, assignment.line, .error)
            }
        case "OnlyAuthorizedLoginHosts":
            places[assignment.key] = (file, assignment.line)
            readBool(assignment, file) { $0.onlyAuthorizedLoginHosts = $1 }
        case "IdentityProvider", "IdentityProviderFor", "IdentityProviderUnit", "IdentityProviderDesktopEntry",
            "MessageScheme":
            readIdentityProvider(assignment, file)
        case "AllowedUnits": Self.extend(&app.allowedUnits, value)
        case "AllowedExecutables":
            Self.extend(&app.allowedExecutables, value)
            if !value.split(whereSeparator: \.isWhitespace).allSatisfy({ $0.hasPrefix("/") }) {
                note("AllowedExecutables= are absolute paths", file, assignment.line, .error)
            }
        case "AfterLogout": readChoice(assignment, file, \.afterLogout)
        case "Lock": readChoice(assignment, file, \.lock)
        default: unknown(assignment, "App", file)
        }
    }

    private mutating func readChoice<Choice: RawRepresentable<String> & CaseIterable>(
        _ assignment: UnitFile.Assignment, _ file: String, _ target: WritableKeyPath<AppConfiguration, Choice>
    ) {
        if let choice = Choice(rawValue: assignment.value) {
            app[keyPath: target] = choice
        } else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            note("\(assignment.key)= is one of \(choices)", file, assignment.line, .error)
        }
    }

    /// A list goes on where it is assigned again, and starts anew after an empty assignment, as in systemd's units.
    static func extend(_ list: inout [String], _ value: String) {
        list = value.isEmpty ? [] : list + value.split(whereSeparator: \.isWhitespace).map(String.init)
    }

    private mutating func finish() {
        if app.clientID.isEmpty { note("[App] needs ClientID=", app.source, nil, .error) }
        finishLoginHosts()
        finishScreen()
        checkClientAuthentication()
    }

    mutating func checkRedirectURI(_ assignment: UnitFile.Assignment, _ file: String) {
        do throws(LoopbackFailure) {
            let uri = try RedirectURI(assignment.value)
            guard let scheme = uri.privateScheme, !scheme.contains(".") else { return }
            let text = "RedirectURI=: the scheme \(scheme) may be another app's, too: use one like com.example.notes"
            note(text, file, assignment.line, .warning)
        } catch {
            note("RedirectURI=: \(error.reason)", file, assignment.line, .error)
        }
    }

    /// https, or http on loopback.
    private static func isWebAddress(_ uri: String) -> Bool {
        (try? LoginHostAddress.normalized(String(uri.prefix { $0 != "?" }))) != nil
    }

    /// A web page of the app's, or its private scheme, which is a domain name turned round (RFC 8252, section 7.1):
    /// nothing that a browser would run or read itself, such as `javascript:` and `file:`.
    static func canEnd(at uri: String) -> Bool {
        guard let colon = uri.firstIndex(of: ":"), uri.utf8.count <= 2048,
            uri.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !#"<>"\^`{|}#"#.utf8.contains($0) })
        else { return false }
        let scheme = uri[..<colon].lowercased()
        if scheme == "https" || scheme == "http" { return uri.contains("://") && isWebAddress(uri) }
        let labels = scheme.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count > 1 && uri[colon...].count > 1
            && labels.allSatisfy { label in
                !label.isEmpty
                    && label.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d }
            } && scheme.first?.isLetter == true
    }

    mutating func unknown(_ assignment: UnitFile.Assignment, _ section: String, _ file: String) {
        note("there is no \(assignment.key)= in [\(section)]; it is ignored", file, assignment.line, .warning)
    }

    mutating func note(_ text: String, _ file: String, _ line: Int?, _ severity: Problem.Severity) {
        problems.append(Problem(file: file, line: line, text: text, severity: severity))
    }
}
