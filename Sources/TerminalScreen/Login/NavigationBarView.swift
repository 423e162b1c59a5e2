import CommandLine
import SceneModel

/// The navigation bar: back button, title, gear.
struct NavigationBarView {
    let state: LoginScreenState
    let size: ScreenSize
    let terminal: Terminal

    private var ground: Ground? {
        guard terminal.usesColor else { return nil }
        return Ground(
            background: state.screen.navigationBarColor.flatMap { CSSColor($0) },
            text: state.screen.navigationBarTextColor.flatMap { CSSColor($0) })
    }

    var lines: [Line] {
        guard state.screen.showsNavigationBar else { return [] }
        let ground = ground
        let row = row.padded(to: size.columns).on(ground)
        guard ground?.background == nil, size.rows >= 12 else { return [row] }
        return [row, Line(String(repeating: "─", count: size.columns), .faint)]
    }

    private var title: String {
        switch state.view {
        case .main, .address: Inert.text(state.bar.title)
        case .hosts, .removing: "Login hosts"
        case .adding: "Add a login host"
        case .pasting: "Paste the address"
        }
    }

    private var back: String? {
        if state.view != .main { return "Back" }
        return state.showsBack ? state.bar.back.map { Inert.text($0.title) } : nil
    }

    private var settings: String? {
        state.view == .main && state.showsSettings ? state.bar.settings.map { Inert.text($0.title) } : nil
    }

    /// The buttons shrink to their signs where the title needs the room; each is cut before the title vanishes.
    private var row: Line {
        let margin = size.columns >= 30 ? 1 : 0
        let columns = size.columns - 2 * margin
        let room = columns / 3
        let left = back.map { button("‹", $0, room: room) } ?? ""
        let right = settings.map { button("⚙", $0, room: room) } ?? ""
        let gaps = (left.isEmpty ? 0 : 1) + (right.isEmpty ? 0 : 1)
        let width = max(0, columns - left.displayWidth - right.displayWidth - gaps)
        let shown = title.shortened(to: width)
        // In the middle of the bar, if the buttons leave it that.
        let start = max(left.displayWidth + (left.isEmpty ? 0 : 1), (columns - shown.displayWidth) / 2)
        let fitting = min(start, columns - right.displayWidth - (right.isEmpty ? 0 : 1) - shown.displayWidth)
        var line = Line(Line(left), Line(String(repeating: " ", count: max(0, fitting - left.displayWidth))))
        line = Line(line, Line(shown, .heading))
        let gap = Line(String(repeating: " ", count: max(0, columns - line.width - right.displayWidth)))
        return Line(line, gap, Line(right)).indented(by: margin)
    }

    private func button(_ sign: String, _ title: String, room: Int) -> String {
        let whole = sign + " " + title
        return whole.displayWidth <= room ? whole : sign
    }
}
