import CommandLine
import SceneSession
import TerminalScreen

/// What stands between header and footer.
struct Panels {
    let state: WindowState
    let size: ScreenSize

    private var snapshot: Snapshot { state.snapshot }
    private var columns: Int { size.columns - size.margin }

    /// At most `rows` of them: what the user has to act on first, the past gets what is left.
    func lines(rows: Int) -> [Line] {
        var lines: [Line] = []
        for panel in [now(rows: rows), others, elsewhere] where !panel.isEmpty {
            if size.isRoomy, !lines.isEmpty { lines.append(Line()) }
            lines += panel
        }
        lines = Array(lines.prefix(rows))
        return lines + history(rows: rows - lines.count)
    }

    private func line(_ text: String, _ style: Style? = nil) -> Line {
        Line(text, style).indented(by: size.margin)
    }

    private func detail(_ line: Line) -> Line {
        line.indented(by: size.margin + 2)
    }

    // MARK: Now

    private func now(rows: Int) -> [Line] {
        if state.presence == .connecting { return [] }
        if state.chosen != nil { return list(rows: rows - 1) }
        if waits { return [line("Signing in…", .warning)] + who }
        return snapshot.locked ? [line("The session is locked", .bad)] + who : who
    }

    /// For a login that another scene shows.
    private var waits: Bool {
        state.isWaiting && snapshot.loginUnderWay && snapshot.presenter != state.scene && !snapshot.locked
    }

    private var who: [Line] {
        guard let account = snapshot.current else {
            if waits { return [] }
            let accounts = snapshot.accounts.isEmpty ? "Nobody is signed in" : "No account is the current one"
            return [line(accounts, .heading)]
        }
        let host = Inert.text(account.loginHost)
        var lines = [Line(Line("Signed in as "), Line(account.name, .heading)).indented(by: size.margin)]
        if !account.handles.isEmpty { lines.append(detail(Line(account.handles))) }
        let standing = Line(account.state.text, account.state.style)
        if size.isRoomy {
            lines += [detail(Line(host)), detail(standing)]
        } else {
            // A long host gives way; the state never does.
            let room = columns - 2 - 3 - standing.width
            lines.append(detail(Line(Line(host.shortened(to: max(0, room))), standing, separator: " · ")))
        }
        return lines
    }

    /// The accounts to choose from, as many as there is room for around the chosen one.
    private func list(rows: Int) -> [Line] {
        let accounts = snapshot.accounts
        let room = max(1, min(accounts.count, size.isRoomy ? rows - 5 : rows - 2))
        let chosen = accounts.firstIndex { $0.id == state.chosen } ?? 0
        let first = min(max(0, chosen - room / 2), accounts.count - room)
        var lines = [line("Choose an account", .heading)]
        for (index, account) in accounts.enumerated().dropFirst(max(0, first)).prefix(room) {
            let mark = index == chosen ? "> " : "  "
            let number = index < 9 ? "\(index + 1) " : "  "
            let style: Style? = index == chosen ? .heading : nil
            let current = account.id == snapshot.current?.id ? " · current" : ""
            lines.append(line(mark + number + account.label + current, style))
        }
        return lines
    }

    // MARK: Others

    private var others: [Line] {
        let others = state.others
        guard !others.isEmpty, state.chosen == nil else { return [] }
        guard size.isRoomy else { return [line("Also " + others.map(\.name).joined(separator: ", "))] }
        let shown = others.count > 4 ? 3 : others.count
        var lines = [line("Also signed in")]
        for account in others.prefix(shown) {
            lines.append(
                detail(Line(Line(account.label), Line(account.state.text, account.state.style), separator: " · ")))
        }
        if others.count > shown { lines.append(detail(Line("and \(others.count - shown) more"))) }
        return lines
    }

    /// What other scenes are doing.
    private var elsewhere: [Line] {
        guard state.presence != .connecting else { return [] }
        guard snapshot.loginUnderWay else { return [line("No login is under way", .faint)] }
        let presenter = SceneText.name(snapshot.presenter, own: state.scene)
        return [line("Login under way, shown by \(presenter)", .warning)]
    }

    // MARK: History

    private func history(rows: Int) -> [Line] {
        let headings = size.isRoomy ? [Line(), line("Events")] : []
        let room = rows - headings.count
        guard room > 0, !state.history.isEmpty else { return [] }
        let shown = state.history.suffix(room)
        let digits = shown.map { String($0.sequence).count }.max() ?? 0
        return headings
            + shown.map { entry in
                let sequence = String(entry.sequence)
                let aligned = String(repeating: " ", count: digits - sequence.count) + sequence
                let place = size.isRoomy ? entry.time + "  " + aligned : aligned
                let line = Line(Line(place, .faint), Line(entry.text), separator: "  ")
                return size.isRoomy ? detail(line) : line
            }
    }
}
