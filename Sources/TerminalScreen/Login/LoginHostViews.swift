import CommandLine
import SceneModel

/// What is behind the gear, and the other pages of a login screen that are typed into.
struct LoginHostViews {
    let state: LoginScreenState
    let size: ScreenSize

    private var columns: Int { size.columns - 2 * size.margin }
    private var hosts: [LoginHost] { state.screen.loginHosts }

    private func said(_ text: String, _ style: Style? = nil) -> [Line] {
        Line.sentence(text, style, columns: columns).map { $0.indented(by: size.margin) }
    }

    /// With empty rows between them where there is room; where there is little, `essential` alone.
    private func spaced(_ blocks: [[Line]], essential: Int = 0, rows: Int) -> [Line] {
        let shown = blocks.filter { !$0.isEmpty }
        let lines = Array(shown.joined(separator: [Line()]))
        if lines.count < rows { return [Line()] + lines }
        if lines.count == rows { return lines }
        let dense = Array(shown.joined())
        return dense.count <= rows ? dense : Line.cut(blocks[essential], rows: rows, columns: size.columns)
    }

    // MARK: The list

    /// As many as there is room for around the chosen one, whose address is shown whole.
    func list(rows: Int) -> [Line] {
        let chosen = hosts.firstIndex { $0.url == state.chosenHost } ?? 0
        let details = hosts[safely: chosen].map(details) ?? []
        let heading = said(hosts.count > 1 ? "Choose where you sign in." : "You sign in here.")
        let roomy = rows - heading.count - details.count - 3
        let isRoomy = roomy >= min(3, hosts.count)
        let hasDetails = rows - details.count >= min(2, hosts.count)
        let room = isRoomy ? roomy : hasDetails ? rows - details.count : rows
        let list = Line.list(hosts.map(entry), chosen: chosen, columns: columns, rows: room)
            .map { $0.indented(by: size.margin) }
        return isRoomy ? spaced([heading, list, details], rows: rows) : list + (hasDetails ? details : [])
    }

    private func entry(_ host: LoginHost) -> Line {
        let isCurrent = host.url == state.host?.url
        return Line(isCurrent ? "● " : "  ", .good).followed(by: Line(Inert.text(host.label)))
    }

    private func details(_ host: LoginHost) -> [Line] {
        let notes = [
            host.url == state.host?.url ? "selected" : nil,
            host.origin == .managed ? "set by the administrator" : host.origin == .user ? "added by you" : nil,
        ].compactMap { $0 }.joined(separator: ", ")
        let address = host.label == host.url && host.url.displayWidth <= columns - 4 ? [] : whole(host.url)
        return address + (notes.isEmpty ? [] : said(notes, .faint))
    }

    /// In one row with the margin, if it fits.
    private func whole(_ text: String) -> [Line] {
        let text = Inert.text(text)
        return text.displayWidth <= columns
            ? [Line(text).indented(by: size.margin)] : Line.whole(text, columns: size.columns)
    }

    // MARK: Adding and removing

    func adding(_ host: LoginScreenState.NewHost, rows: Int) -> [Line] {
        let fields =
            field("Address", host.address, isActive: !host.isAtLabel)
            + field("Name", host.label, isActive: host.isAtLabel)
        let hint = host.isAtLabel ? "The name may be left out." : "For example https://login.example.com"
        return spaced([fields, said(hint, .faint)], rows: rows)
    }

    private func field(_ name: String, _ field: TextField, isActive: Bool) -> [Line] {
        let title = name.padded(to: 9)
        let room = columns - title.displayWidth
        let value = isActive ? field.shown(columns: room) : Inert.text(field.text).shortened(to: room)
        return [
            Line(title, isActive ? .heading : nil).followed(by: Line(value)).indented(by: size.margin)
        ]
    }

    func removing(_ host: LoginHost, rows: Int) -> [Line] {
        let label = Inert.text(host.label)
        return spaced(
            [
                said("Remove \(label)?", .heading), host.label == host.url ? [] : whole(host.url),
                said("Accounts that signed in there stay signed in."),
            ], rows: rows)
    }

    func pasting(_ field: TextField, rows: Int) -> [Line] {
        spaced(
            [
                said("Paste or type the whole address that the browser ended at, even if it shows an error."),
                [Line(field.shown(columns: columns)).indented(by: size.margin)],
            ], essential: 1, rows: rows)
    }
}

extension Line {
    func followed(by line: Line) -> Line { Line(self, line) }

    /// A list to choose from, as many as there is room for around the chosen one.
    static func list(_ entries: [Line], chosen: Int, columns: Int, rows: Int) -> [Line] {
        let isCut = entries.count > rows && rows > 2
        let room = min(entries.count, isCut ? rows - 1 : rows)
        let first = max(0, min(chosen - room / 2, entries.count - room))
        var lines = entries.enumerated().dropFirst(first).prefix(room).map { index, entry in
            var line = Line(Line(index == chosen ? "> " : "  ", .heading), entry)
            if index == chosen { for span in line.spans.indices { line.spans[span].style = .heading } }
            return line.fitted(to: columns)
        }
        if isCut { lines.append(Line("  \(chosen + 1) of \(entries.count)", .faint)) }
        return lines
    }
}
