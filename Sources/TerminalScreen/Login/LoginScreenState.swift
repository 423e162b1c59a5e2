import CommandLine
import SceneModel

/// What the user wants of the login screen that needs scened, or the program that shows it.
package enum LoginScreenWish: Equatable, Sendable {
    case selectHost(String)
    case addHost(url: String, label: String?)
    case removeHost(String)
    case switchTo(Account)
    case openBrowser(String)
    /// The address that the browser ended at, for HandleResponse.
    case handOver(String)
    /// What the back button does.
    case goBack
    /// After a login that came to nothing.
    case tryAgain
    case quit
}

/// All that a login screen in a terminal shows. It is changed by what happened, in the past tense.
package struct LoginScreenState: Equatable, Sendable {
    package enum View: Equatable, Sendable {
        case main
        case hosts
        case adding(NewHost)
        case removing(LoginHost)
        /// Typing the address that the browser ended at.
        case pasting(TextField)
        /// One of `addresses` alone, where the terminal is too small for more.
        case address(Int)
    }

    package struct NewHost: Equatable, Sendable {
        package var address = TextField()
        package var label = TextField()
        package var isAtLabel = false
    }

    package struct Notice: Equatable, Sendable {
        package var text: String
        package var isFailure = false
    }

    package private(set) var screen = LoginScreen()
    /// What stands in the bar, if the screen has one.
    package private(set) var bar = NavigationBar(of: LoginScreen())
    /// How the login stands. What is of use only at the host that the user has just left is not in it.
    package var login: LoginProgress? {
        guard isMoving, var login = heard else { return heard }
        login.userCode = nil
        login.verificationUri = nil
        login.verificationUriComplete = nil
        login.authorizationUri = nil
        return login
    }
    private var heard: LoginProgress?
    /// Whether the user has chosen another login host, and nothing has been heard of the login there.
    private var isMoving = false
    /// Whether the login came to nothing, and the user may try again.
    package private(set) var hasEnded = false
    /// How long the code can be used.
    package private(set) var secondsLeft: Int?
    package private(set) var notice: Notice?
    package internal(set) var view = View.main
    /// The address of the host that the list stands at.
    package internal(set) var chosenHost: String?
    /// The identifier of the account that the list to choose from stands at.
    package internal(set) var chosenAccount: String?
    /// Where the login was asked for at another host than the selected one.
    package internal(set) var loginHost: String?
    /// Whether the user's browser may be on another machine, so that the address that it ends at is pasted here.
    package let acceptsPasting: Bool
    /// Whether the program can open a browser when asked to.
    package let opensBrowser: Bool

    package init(loginHost: String? = nil, acceptsPasting: Bool = false, opensBrowser: Bool = false) {
        self.loginHost = loginHost
        self.acceptsPasting = acceptsPasting
        self.opensBrowser = opensBrowser
    }

    // MARK: What happened

    /// `bar`: the program's own; by default as the app's configuration has it.
    package mutating func screenReceived(_ screen: LoginScreen, bar: NavigationBar? = nil) {
        let index = screen.loginHosts.firstIndex { $0.url == chosenHost }
        let former = self.screen.loginHosts.firstIndex { $0.url == chosenHost }
        self.screen = screen
        self.bar = bar ?? NavigationBar(of: screen)
        if index == nil {
            // The one that it stood at is gone: the next one, in its place.
            let next = former.flatMap { screen.loginHosts[safely: min($0, screen.loginHosts.count - 1)] }
            chosenHost = (next ?? selectedHost)?.url
        }
        switch view {
        case .hosts where !showsSettings, .adding where !canAdd: view = .main
        case .removing(let host) where !screen.loginHosts.contains(host): view = .hosts
        default: break
        }
    }

    package mutating func progressed(_ progress: LoginProgress) {
        if (progress.state, progress.userCode, progress.authorizationUri)
            != (.presenting, heard?.userCode, heard?.authorizationUri)
        {
            isMoving = false
        }
        heard = progress
        hasEnded = false
        secondsLeft = progress.userCode == nil ? nil : progress.expiresInSeconds
        if progress.state == .selecting, !accounts.contains(where: { $0.id == chosenAccount }) {
            chosenAccount = accounts.first?.id
        }
        switch view {
        case .address(let index) where index >= addresses.count: view = .main
        case .pasting where progress.state != .presenting: view = .main
        default: break
        }
        // What has to be done is not to lie under a list.
        if [.selecting, .locked].contains(progress.state) { view = .main }
    }

    /// The program starts another one if the user wants to. `reason` is inert.
    package mutating func loginEnded(_ reason: String) {
        heard = nil
        secondsLeft = nil
        hasEnded = true
        if showsSettings, case .hosts = view {} else { view = .main }
        failed(reason)
    }

    /// The program has asked for a login again.
    package mutating func loginAsked() {
        heard = nil
        isMoving = false
        secondsLeft = nil
        hasEnded = false
    }

    package mutating func timePassed(secondsLeft: Int?) {
        self.secondsLeft = secondsLeft
    }

    /// The list shows it from now on, with the screen that came before this.
    package mutating func hostAdded(_ host: LoginHost) {
        chosenHost = host.url
        view = .hosts
        told("\(Inert.text(host.label)) is added. Enter selects it.")
    }

    /// `text` is inert.
    package mutating func told(_ text: String) {
        notice = Notice(text: text)
    }

    /// `text` is inert.
    package mutating func failed(_ text: String) {
        isMoving = false
        notice = Notice(text: text, isFailure: true)
    }

    /// The login that is presented goes on at another host. One that an identity provider has begun stays.
    mutating func hostLeft() {
        isMoving = isPresented && heard?.identityProvider == nil
    }

    mutating func noticeSeen() {
        notice = nil
    }

    // MARK: What follows from it

    package var selectedHost: LoginHost? { screen.loginHosts.first(where: \.selected) }

    /// Where the user signs in.
    var host: LoginHost? {
        guard let loginHost else { return selectedHost }
        return screen.loginHosts.first { $0.url == loginHost } ?? LoginHost(url: loginHost, label: loginHost)
    }

    var accounts: [Account] { login?.accounts ?? [] }
    var showsBack: Bool { screen.showsNavigationBar && bar.back != nil }
    /// Without the bar there is no gear, and without the gear no list.
    var showsSettings: Bool {
        screen.offersLoginHosts && bar.settings != nil
    }
    var canAdd: Bool { showsSettings && screen.canAddLoginHost }
    /// Whether the login can still go to another host.
    var isPresented: Bool { login?.state == .presenting }

    /// What is to be opened to sign in, and where; inert.
    package var addresses: [(purpose: String, address: String)] {
        guard let login else { return [] }
        if let code = login.userCode, let address = login.verificationUri {
            return [("Enter the code \(Inert.text(code)) at:", Inert.text(address))]
        }
        guard login.state == .presenting else { return [] }
        let here = login.loginScreen.map { ("Open in a browser on this machine:", Inert.text($0)) }
        let elsewhere = login.authorizationUri.map { ("Open in a browser on another machine:", Inert.text($0)) }
        return [here, here == nil || acceptsPasting ? elsewhere : nil].compactMap { $0 }
    }

    /// How it stands, in words.
    package var standing: String {
        guard let login, !isMoving || !addresses.isEmpty else {
            return hasEnded ? "Nobody was signed in" : "Asking for a login"
        }
        return login.standing
    }

    /// Of a response that was handed over.
    package static let foreignResponse =
        "No login waits for that address. Paste the one that the browser ended at."
}

extension LoginProgress {
    /// In words, inert.
    package var standing: String {
        switch state {
        case .waiting:
            if let identityProvider, presenter == nil {
                return "The app \(Inert.text(identityProvider.appInSentence)) asks you; waiting for it"
            }
            return userCode == nil
                ? "Another window shows the login screen; waiting for it"
                : "Another window shows this code too; waiting for you to sign in"
        case .presenting: return "Waiting for you to sign in"
        case .authorizing: return "You are back from the login host; fetching tokens"
        case .selecting: return "Several accounts are signed in. Choose one:"
        case .locked: return "The session is locked; waiting for it to be unlocked"
        case .signedIn, .alreadySignedIn: return "Signed in"
        }
    }
}

extension Array {
    subscript(safely index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
