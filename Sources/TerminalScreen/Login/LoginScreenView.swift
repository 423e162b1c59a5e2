import CommandLine
import SceneModel

/// What the login screen looks like: one line for each row of the terminal, no more and no less.
package struct LoginScreenView {
    let state: LoginScreenState
    let size: ScreenSize
    let terminal: Terminal

    package init(state: LoginScreenState, size: ScreenSize, terminal: Terminal) {
        self.state = state
        self.size = size
        self.terminal = terminal
    }

    package var lines: [Line] {
        guard size.columns >= 12, size.rows >= 4 else {
            return filled(Line.sentence("Too small: q quits", columns: size.columns), rows: size.rows)
        }
        if case .address(let index) = state.view { return address(index) }
        let bar = NavigationBarView(state: state, size: size, terminal: terminal).lines
        let notice = notice(rows: max(1, size.rows / 4))
        let main = LoginBody(state: state, size: size, terminal: terminal)
        let least = bar.count + notice.count
        var rows = size.rows - least - 1
        var body = body(main, rows: rows)
        var keys = keys(shows: body.isWhole, rows: size.rows >= 10 ? 2 : 1)
        if keys.count > 1 {
            rows -= 1
            body = self.body(main, rows: rows)
            keys = self.keys(shows: body.isWhole, rows: 2)
        }
        return filled(
            bar + filled(body.lines, rows: size.rows - least - keys.count) + notice + keys, rows: size.rows)
    }

    private func body(_ main: LoginBody, rows: Int) -> (lines: [Line], isWhole: Bool) {
        let lists = LoginHostViews(state: state, size: size)
        switch state.view {
        case .main, .address: return main.lines(rows: rows)
        case .hosts: return (lists.list(rows: rows), true)
        case .adding(let host): return (lists.adding(host, rows: rows), true)
        case .removing(let host): return (lists.removing(host, rows: rows), true)
        case .pasting(let field): return (lists.pasting(field, rows: rows), true)
        }
    }

    private func filled(_ lines: [Line], rows: Int) -> [Line] {
        let lines = lines.prefix(max(0, rows)).map { $0.continues ? $0 : $0.fitted(to: size.columns) }
        return lines + Array(repeating: Line(), count: max(0, rows - lines.count))
    }

    /// One address with as much room as there is.
    private func address(_ index: Int) -> [Line] {
        guard let (purpose, address) = state.addresses[safely: index] else { return filled([], rows: size.rows) }
        let rows = Line.whole(address, columns: size.columns)
        let foot = Line.keys(
            [("v", index + 1 < state.addresses.count ? "next" : "back")], columns: size.columns, rows: 1)
        guard rows.count + foot.count <= size.rows else {
            let text = "The terminal is too small for the address: \(address.displayWidth) characters."
            return filled(Line.sentence(text, .bad, columns: size.columns), rows: size.rows - 1) + foot
        }
        let heading = Line.sentence(purpose, .heading, columns: size.columns)
        let fits = rows.count + heading.count + foot.count <= size.rows
        return filled((fits ? heading : []) + rows, rows: size.rows - foot.count) + foot
    }

    // MARK: Foot

    private func notice(rows: Int) -> [Line] {
        guard let notice = state.notice else { return [] }
        let columns = size.columns - 2 * size.margin
        let lines = Line.sentence(notice.text, notice.isFailure ? .bad : .good, columns: columns)
        return Line.cut(lines, rows: rows, columns: columns).map { $0.indented(by: size.margin) }
    }

    private func keys(shows isWhole: Bool, rows: Int) -> [Line] {
        Line.keys(purposes(isWhole), columns: size.columns - size.margin, rows: rows)
            .map { $0.indented(by: size.margin) }
    }

    private func purposes(_ isWhole: Bool) -> [(String, String)] {
        switch state.view {
        case .main: return mainPurposes(isWhole)
        case .hosts:
            let chosen = state.screen.loginHosts.first { $0.url == state.chosenHost }
            return [
                ("↑↓", "choose"), ("Enter", "select"), state.canAdd ? ("a", "add") : nil,
                chosen?.removable == true ? ("d", "remove") : nil, ("Esc", "back"), ("q", "quit"),
            ].compactMap { $0 }
        case .adding(let host):
            return [("Enter", host.isAtLabel ? "add" : "next"), ("Tab", "other field"), ("Esc", "back")]
        case .removing: return [("y", "remove"), ("n", "keep")]
        case .pasting: return [("Enter", "send"), ("Esc", "back")]
        case .address: return []
        }
    }

    private func mainPurposes(_ isWhole: Bool) -> [(String, String)] {
        let isSelecting = state.login?.state == .selecting
        let hasAddress = !state.addresses.isEmpty
        return [
            isSelecting ? ("↑↓", "choose") : nil, isSelecting ? ("Enter", "switch") : nil,
            state.hasEnded ? ("r", "try again") : nil, hasAddress && !isWhole ? ("v", "address") : nil,
            hasAddress && state.opensBrowser ? ("o", "open") : nil,
            state.acceptsPasting && state.isPresented && state.login?.userCode == nil ? ("p", "paste address") : nil,
            state.showsSettings ? ("h", "hosts") : nil, state.showsBack ? ("Esc", "back") : nil, ("q", "quit"),
        ].compactMap { $0 }
    }
}

extension Line {
    /// At most so many rows; the last one says if there are more.
    static func cut(_ lines: [Line], rows: Int, columns: Int) -> [Line] {
        guard lines.count > rows, rows > 0 else { return lines }
        var last = lines[rows - 1]
        last.spans.append(Span(text: "…", style: last.spans.last?.style))
        return lines.prefix(rows - 1) + [
            last.width > columns ? lines[rows - 1].padded(to: columns + 1).fitted(to: columns) : last
        ]
    }

    /// What can be pressed, the last of it in any case.
    package static func keys(_ purposes: [(String, String)], columns: Int, rows: Int) -> [Line] {
        let entries = purposes.map { Line(Line($0.0, .heading), Line(" " + $0.1)) }
        guard let last = entries.last else { return [] }
        var lines = [Line()]
        for (index, entry) in entries.enumerated() {
            let isLast = index + 1 == entries.count
            let row = Line(lines[lines.count - 1], entry, separator: "  ")
            let reserved = isLast || lines.count < rows ? 0 : last.width + 2
            if row.width + reserved <= columns {
                lines[lines.count - 1] = row
            } else if lines.count < rows {
                lines.append(entry)
            }
        }
        return lines
    }
}
