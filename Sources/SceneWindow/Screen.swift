import CommandLine
import SceneSession
import TerminalScreen

extension ScreenSize {
    static let least = ScreenSize(columns: 40, rows: 12)
}

/// What the window looks like: one line for each row of the screen, no more and no less.
struct Screen {
    let state: WindowState
    let size: ScreenSize
    var terminal = Terminal(redraws: true)

    var lines: [Line] {
        guard size.columns >= ScreenSize.least.columns, size.rows >= ScreenSize.least.rows else { return tooSmall }
        if state.showsLogin, let login = state.login { return [title.fitted(to: size.columns)] + lines(of: login) }
        let body = max(0, size.rows - header.count - footer.count)
        let lines = header + filled(Panels(state: state, size: size).lines(rows: body), rows: body) + footer
        return lines.map { $0.fitted(to: size.columns) }
    }

    /// The login screen has the window but for its title.
    private func lines(of login: LoginScreenState) -> [Line] {
        let size = ScreenSize(columns: size.columns, rows: size.rows - 1)
        return LoginScreenView(state: login, size: size, terminal: terminal).lines
    }

    private var tooSmall: [Line] {
        let text = "Too small: scene-window needs \(ScreenSize.least.columns)x\(ScreenSize.least.rows), q quits"
        return filled(Array(Line.whole(text, columns: size.columns).prefix(size.rows)), rows: size.rows)
    }

    private func filled(_ lines: [Line], rows: Int) -> [Line] {
        lines + Array(repeating: Line(), count: max(0, rows - lines.count))
    }

    private var rule: [Line] {
        size.isRoomy ? [Line(String(repeating: "─", count: size.columns), .faint)] : []
    }

    // MARK: Header

    private var header: [Line] { [title] + rule }

    private var title: Line {
        let scene = state.scene.isEmpty ? "" : "scene " + SceneText.short(state.scene)
        let room = size.columns - 2 * size.margin - scene.displayWidth - 2
        let title = Inert.text(state.title).shortened(to: max(0, room))
        let app = " · app " + Inert.text(state.app)
        let fits = size.isRoomy && (title + app).displayWidth <= room
        let left = Line(Line(title, .heading), Line(fits ? app : ""))
        let gap = String(repeating: " ", count: max(0, room + 2 - left.width))
        return Line(left, Line(gap), Line(scene, .faint)).indented(by: size.margin)
    }

    // MARK: Footer

    private var footer: [Line] {
        rule + [notice.indented(by: size.margin)] + keys.map { $0.indented(by: size.margin) }
    }

    private var notice: Line {
        switch state.presence {
        case .connecting: Line("connecting to scened…", .warning)
        case .away: Line("scened is away, reconnecting…", .warning)
        case .connected: state.notice.map { Line($0.text, $0.isFailure ? .bad : .good) } ?? Line()
        }
    }

    /// What can be pressed, in as many rows as that takes.
    private var keys: [Line] {
        Line.keys(keyPurposes, columns: size.columns - size.margin, rows: .max)
    }

    private var keyPurposes: [(String, String)] {
        if state.presence == .connecting { return [("q", "quit")] }
        if state.chosen != nil {
            return [("↑↓", "choose"), ("1-9", "pick"), ("Enter", "switch"), ("Esc", "back"), ("q", "quit")]
        }
        return [
            ("l", state.snapshot.accounts.isEmpty ? "login" : "login another"), ("s", "switch"), ("o", "logout"),
            ("a", "logout all"), ("t", "token"), ("c", "cancel"), ("q", "quit"),
        ]
    }
}

extension Screen {
    /// What to open to sign in, and why.
    static func addresses(_ login: LoginProgress) -> [(purpose: String, address: String)] {
        guard login.state == .presenting else { return [] }
        if let code = login.userCode, let address = login.verificationUri {
            return [("To sign in, enter the code \(Inert.text(code)) at:", Inert.text(address))]
        }
        guard let address = login.loginScreen ?? login.authorizationUri else { return [] }
        return [("To sign in, open in your browser:", Inert.text(address))]
    }
}
