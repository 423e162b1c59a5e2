import CommandLine
import LinuxIO
import SceneModel
import TerminalScreen

/// Tells the user what to do for a login that this program presents: each thing once.
struct LoginGuide {
    let opensBrowser: Bool
    let acceptsPasting: Bool
    /// Where it is told.
    let terminal: Terminal
    private var told: Set<String> = []
    private var browser: Browser?
    private var opened = ContinuousClock.now

    init(opensBrowser: Bool, acceptsPasting: Bool, terminal: Terminal) {
        self.opensBrowser = opensBrowser
        self.acceptsPasting = acceptsPasting
        self.terminal = terminal
    }

    /// What is still to be told about `progress`; opens the browser at a new login screen.
    mutating func news(_ progress: LoginProgress) -> [String] {
        var lines: [String] = []
        if progress.state == .selecting { lines += selection(progress.accounts ?? []) }
        if progress.state == .locked, isNew("locked") {
            lines.append("The session is locked. This goes on once it is unlocked.")
        }
        // A code can be used whichever window shows it.
        lines += deviceLines(progress)
        guard progress.state == .presenting else { return lines }
        if progress.reason == "noIdentityProviderScene", isNew("local") {
            lines.append("The app's identity provider is not running; sign in at the login host.")
        }
        if progress.reason == "identityProviderSilent", isNew("silent") {
            lines.append("The app's identity provider does not answer; sign in at the login host.")
        }
        if let message = progress.identityProviderUri, isNew(message), opensBrowser,
            let handed = Browser(handing: message)
        {
            (opened, browser) = (.now, handed)
            lines.append(
                "The app \(Inert.text(progress.identityProvider?.appInSentence ?? "")) asks you. To sign in without it, open:"
            )
            lines.append("  " + Inert.text(progress.loginScreen ?? ""))
            return lines
        }
        if progress.identityProviderUri != nil, browser != nil { return lines }
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
        let time = progress.expiresInSeconds.map { Elapsed.text(seconds: rounded($0)) }
        let enter = "and enter the code  \(terminal.styled(Inert.text(code), .heading))"
        let beside = [
            "Or open \(Inert.text(address)) on any device", enter + (time.map { "  within \($0)." } ?? ""),
        ]
        for content in [progress.verificationUriComplete, address] {
            if let content, let picture = picture(of: content, above: beside) { return picture + beside }
        }
        var lines = ["To sign in, open on any device", "  " + Inert.text(address), enter]
        if let complete = progress.verificationUriComplete {
            lines += ["or open this address, which holds it:", "  " + Inert.text(complete)]
        }
        if let time { lines.append("The code can be used for \(time).") }
        return lines
    }

    /// To ten seconds: the request has taken its time, and "4 min 59 s" is nothing to read.
    private func rounded(_ seconds: Int) -> Int {
        (60..<Int.max - 5).contains(seconds) ? (seconds + 5) / 10 * 10 : seconds
    }

    /// A QR code, where it is seen whole together with these lines and the one that shows how the login stands.
    private func picture(of text: String, above lines: [String]) -> [String]? {
        guard terminal.redraws else { return nil }
        let width = max(1, terminal.width)
        let rows = lines.reduce(1) { $0 + ($1.displayWidth + width - 1) / width }
        return QRCode(text)?.lines(columns: width, rows: terminal.height - rows, usesColor: terminal.usesColor)?
            .map { $0.rendered(on: terminal) }
    }

    private mutating func selection(_ accounts: [Account]) -> [String] {
        guard isNew("selection") else { return [] }
        let names = accounts.map(\.label).joined(separator: ", ")
        return ["Several accounts are signed in: \(names). Choose one: scenectl switch ACCOUNT"]
    }
}
