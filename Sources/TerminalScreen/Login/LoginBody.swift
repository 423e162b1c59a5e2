import CommandLine
import SceneModel

/// What stands between the bar and the foot: where the user signs in, how, and how far that is.
struct LoginBody {
    let state: LoginScreenState
    let size: ScreenSize
    let terminal: Terminal

    /// From all there is to say down to what nobody can do without.
    private enum Detail: Int, CaseIterable {
        case all, dense, plain, brief, bare
    }

    private var margin: Int { size.margin }

    /// At most so many rows; `isWhole`: with every address.
    func lines(rows: Int) -> (lines: [Line], isWhole: Bool) {
        if state.login?.state == .selecting { return (selecting(rows: rows), true) }
        if let scanned = besidePicture(rows: rows) ?? belowPicture(rows: rows) { return (scanned, true) }
        for others in state.addresses.count > 1 ? [true, false] : [true] {
            for detail in Detail.allCases {
                let lines = text(detail, columns: size.columns, picture: nil, others: others)
                if lines.count <= rows { return (lines, others) }
            }
        }
        let text = "The terminal is too small for the address."
        return (Array(Line.sentence(text, .bad, columns: size.columns).prefix(rows)), false)
    }

    // MARK: With a picture

    private struct Picture {
        var lines: [Line]
        var width: Int
    }

    /// The address with the code in it, or else without.
    private func pictures(columns: Int, rows: Int) -> [Picture] {
        guard terminal.redraws, let login = state.login, login.userCode != nil else { return [] }
        return [login.verificationUriComplete, login.verificationUri].compactMap { address in
            guard let address,
                let lines = QRCode(address)?.lines(columns: columns, rows: rows, usesColor: terminal.usesColor)
            else { return nil }
            return Picture(lines: lines, width: lines.first?.width ?? 0)
        }
    }

    private func besidePicture(rows: Int) -> [Line]? {
        for picture in pictures(columns: size.columns - 2, rows: rows) {
            let columns = size.columns - picture.width - 2
            guard columns >= 24 else { continue }
            for detail in [Detail.all, .dense, .plain] {
                let text = text(detail, columns: columns, picture: picture, others: true)
                // What goes on in the next row could not be copied from beside a picture.
                guard text.count <= rows, !text.contains(where: \.continues) else { continue }
                // Beside the words, and not at the far end of a wide terminal.
                let columns = min(columns, max(44, (text.map(\.width).max() ?? 0) + 4))
                let height = max(text.count, picture.lines.count)
                let above = max(0, (min(rows, height + 2) - picture.lines.count) / 2)
                let pictureRows =
                    Array(repeating: Line(), count: min(above, rows - picture.lines.count)) + picture.lines
                return (0..<max(text.count, pictureRows.count)).map { row in
                    Line((text[safely: row] ?? Line()).padded(to: columns), pictureRows[safely: row] ?? Line())
                }
            }
        }
        return nil
    }

    private func belowPicture(rows: Int) -> [Line]? {
        for detail in [Detail.all, .dense, .plain, .brief] {
            let room = text(detail, columns: size.columns, picture: Picture(lines: [], width: 0), others: true).count
            if let picture = pictures(columns: size.columns, rows: rows - room).first {
                return text(detail, columns: size.columns, picture: picture, others: true) + picture.lines
            }
        }
        return nil
    }

    // MARK: In words

    private func text(_ detail: Detail, columns: Int, picture: Picture?, others: Bool) -> [Line] {
        let blocks = [
            heading(detail, columns: columns), guide(detail, columns: columns, picture: picture, others: others),
            detail == .bare && !state.addresses.isEmpty ? [] : standing(columns: columns),
        ].filter { !$0.isEmpty }
        guard detail == .all else { return Array(blocks.joined()) }
        return [Line()] + blocks.joined(separator: [Line()])
    }

    private func said(_ text: String, _ style: Style? = nil, columns: Int) -> [Line] {
        Line.sentence(text, style, columns: columns - 2 * margin).map { $0.indented(by: margin) }
    }

    private func heading(_ detail: Detail, columns: Int) -> [Line] {
        // Another's login may be at another host.
        guard let host = state.host, state.login?.state != .waiting, detail.rawValue < Detail.brief.rawValue else {
            return []
        }
        let label = Inert.text(host.label)
        let heading = "Sign in at \(label)"
        if detail == .plain { return [Line(heading, .heading).indented(by: margin).fitted(to: columns)] }
        let address = host.label == host.url ? [] : whole(host.url, .faint, columns: columns)
        return said(heading, .heading, columns: columns) + address
    }

    private func standing(columns: Int) -> [Line] {
        let time = state.login?.userCode.flatMap { _ in state.secondsLeft }.map { Self.usable(seconds: $0) }
        return (time.map { said($0, columns: columns) } ?? [])
            + said(state.standing + (state.hasEnded ? "." : "…"), .warning, columns: columns)
    }

    private static func usable(seconds: Int) -> String {
        switch seconds {
        case ..<1: "The code has run out."
        case ..<90: "The code can be used for about a minute."
        default: "The code can be used for \((seconds + 30) / 60) min."
        }
    }

    private func guide(_ detail: Detail, columns: Int, picture: Picture?, others: Bool) -> [Line] {
        guard let login = state.login else { return [] }
        if let code = login.userCode, let address = login.verificationUri {
            return device(login, Inert.text(code), address, detail, columns: columns, picture: picture)
        }
        guard login.state == .presenting else { return [] }
        return browser(login, detail, columns: columns, others: others)
    }

    private func device(
        _ login: LoginProgress, _ code: String, _ address: String, _ detail: Detail, columns: Int, picture: Picture?
    ) -> [Line] {
        let styled = Line(code, .heading)
        if detail == .bare { return whole(address, columns: columns) + whole(code, .heading, columns: columns) }
        let isShort = detail == .brief
        let open = isShort ? "Open on any device:" : "To sign in, open on any device"
        var lines = said(open, columns: columns) + whole(address, columns: columns, indent: 2)
        lines += beside("and enter the code", styled, columns: columns)
        if picture != nil { return lines + said("or scan the picture.", columns: columns) }
        if !isShort, let complete = login.verificationUriComplete {
            lines += said("or open this address, which holds it:", columns: columns)
            lines += whole(complete, columns: columns, indent: 2)
        }
        return lines
    }

    private func browser(_ login: LoginProgress, _ detail: Detail, columns: Int, others: Bool) -> [Line] {
        var lines: [Line] = []
        if login.reason == "noIdentityProviderScene", detail.rawValue < Detail.plain.rawValue {
            lines += said(
                "The app's identity provider is not running; sign in at the login host.", columns: columns)
        }
        for (index, (purpose, address)) in state.addresses.enumerated() where index == 0 || others {
            if index > 0, detail == .all { lines.append(Line()) }
            if detail != .bare {
                lines += said(index == 0 ? "To sign in, o" + purpose.dropFirst() : purpose, columns: columns)
            }
            lines += whole(address, columns: columns)
            if index == state.addresses.count - 1, state.acceptsPasting, detail != .bare {
                lines += said("Then paste here the address that the browser ends at.", columns: columns)
            }
        }
        return lines
    }

    private func beside(_ text: String, _ line: Line, columns: Int) -> [Line] {
        let row = Line(Line(text), line, separator: "  ").indented(by: margin)
        if row.width <= columns { return [row] }
        return said(text, columns: columns) + whole(line.text, .heading, columns: columns, indent: 2)
    }

    /// In one row, if it fits with its margin; else in whole rows.
    private func whole(_ text: String, _ style: Style? = nil, columns: Int, indent: Int = 0) -> [Line] {
        let text = Inert.text(text)
        if text.displayWidth + margin + indent <= columns { return [Line(text, style).indented(by: margin + indent)] }
        return Line.whole(text, columns: columns)
    }

    // MARK: Accounts

    private func selecting(rows: Int) -> [Line] {
        let entries = state.accounts.enumerated().map { index, account in
            Line(Line(index < 9 ? "\(index + 1) " : "  "), Line(account.shownName))
        }
        let chosen = state.accounts.firstIndex { $0.id == state.chosenAccount } ?? 0
        let columns = size.columns - 2 * margin
        let heading = said(state.standing, .heading, columns: size.columns)
        let least = min(entries.count, 3)
        let isRoomy = rows >= heading.count + least + 2
        let hasHeading = rows >= heading.count + least
        let room = rows - (hasHeading ? heading.count : 0) - (isRoomy ? 2 : 0)
        let list = Line.list(entries, chosen: chosen, columns: columns, rows: room).map { $0.indented(by: margin) }
        return isRoomy ? [Line()] + heading + [Line()] + list : (hasHeading ? heading : []) + list
    }
}

extension Account {
    /// Enough to tell it from the others: "Ada Lovelace (ada) at https://login.example.com".
    fileprivate var shownName: String {
        let handle = username ?? email ?? subject
        let name = displayName.flatMap { $0.isEmpty || $0 == username ? nil : "\($0) (\(handle))" } ?? handle
        return Inert.text(name) + (loginHost.isEmpty ? "" : " at " + Inert.text(loginHost))
    }
}
