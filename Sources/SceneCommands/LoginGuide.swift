import CommandLine
import LinuxIO
import SceneModel

/// Tells the user what to do for a login that this program presents: each thing once.
struct LoginGuide {
    let opensBrowser: Bool
    let acceptsPasting: Bool
    private var told: Set<String> = []
    private var browser: Browser?
    private var opened = ContinuousClock.now

    init(opensBrowser: Bool, acceptsPasting: Bool) {
        self.opensBrowser = opensBrowser
        self.acceptsPasting = acceptsPasting
    }

    /// What is still to be told about `progress`; opens the browser at a new login screen.
    mutating func news(_ progress: LoginProgress) -> [String] {
        var lines: [String] = []
        if progress.state == .selecting { lines += selection(progress.accounts ?? []) }
        guard progress.state == .presenting else { return lines }
        if progress.reason == "noIdentityProviderScene", isNew("local") {
            lines.append("The app's identity provider is not running; sign in at the login host.")
        }
        lines += deviceLines(progress)
        if let screen = progress.loginScreen, isNew(screen) {
            opened = .now
            browser = opensBrowser ? Browser(opening: screen) : nil
            lines.append(
                browser == nil
                    ? "To sign in, open this address in your browser:" : "Your browser opens. If it does not, open:")
            lines.append("  " + Inert.text(screen))
        }
        if acceptsPasting, let address = progress.authorizationUri, isNew(address) {
            lines.append("In a browser on another machine, open this address in its place:")
            lines.append("  " + Inert.text(address))
            lines.append("Then paste here the address that the browser ends at, and press Enter.")
        }
        return lines
    }

    /// When to ask for a complaint: for ten seconds xdg-open may still say that it opened nothing.
    var nextLook: ContinuousClock.Instant? {
        browser != nil && opened + .seconds(10) > .now ? .now + .milliseconds(300) : nil
    }

    /// What to tell when time has passed.
    mutating func complaint() -> String? {
        guard browser?.hasFailed() == true else { return nil }
        browser = nil
        return "No browser could be opened; open the address yourself."
    }

    private mutating func isNew(_ text: String) -> Bool { told.insert(text).inserted }

    private mutating func deviceLines(_ progress: LoginProgress) -> [String] {
        guard let code = progress.userCode, let address = progress.verificationUri, isNew(code + address) else {
            return []
        }
        var lines = ["On any device, open \(Inert.text(address)) and enter the code  \(Inert.text(code))"]
        if let complete = progress.verificationUriComplete {
            lines.append("or open this address, which holds the code:")
            lines.append("  " + Inert.text(complete))
        }
        if let seconds = progress.expiresInSeconds {
            lines.append("The code can be used for \(Elapsed.text(seconds: seconds)).")
        }
        return lines
    }

    private mutating func selection(_ accounts: [Account]) -> [String] {
        guard isNew("selection") else { return [] }
        let names = accounts.map(\.label).joined(separator: ", ")
        return ["Several accounts are signed in: \(names). Choose one: scenectl switch ACCOUNT"]
    }
}
