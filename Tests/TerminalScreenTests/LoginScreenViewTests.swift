import CommandLine
import SceneModel
import Testing

@testable import TerminalScreen

struct LoginScreenViewTests {
    private static let sizes = [1, 4, 12, 20, 39, 60, 80, 300].flatMap { columns in
        [1, 3, 5, 8, 12, 24, 100].map { ScreenSize(columns: columns, rows: $0) }
    }

    private func lines(_ state: LoginScreenState, _ size: ScreenSize, usesColor: Bool = true) -> [Line] {
        let terminal = Terminal(isTerminal: true, usesColor: usesColor, redraws: true)
        return LoginScreenView(state: state, size: size, terminal: terminal).lines
    }

    @Test(arguments: LoginScenery.allCases)
    func hasOneLineForEachRowAtAnySize(_ scenery: LoginScenery) {
        let state = scenery.state
        for size in Self.sizes {
            let lines = lines(state, size)
            #expect(lines.count == size.rows, "\(size)")
            #expect(lines.allSatisfy { $0.width <= size.columns }, "\(size)")
            // A terminal wraps only full rows.
            #expect(lines.allSatisfy { !$0.continues || $0.width >= size.columns - 1 }, "\(size)")
        }
    }

    /// The texts of the rows that belong together.
    private func texts(_ lines: [Line]) -> [String] {
        var texts = [""]
        for line in lines {
            texts[texts.count - 1] += line.text
            if !line.continues { texts.append("") }
        }
        return texts
    }

    @Test(arguments: [LoginScenery.browser, .remote, .device, .longCode, .barless])
    func showsAnAddressWholeOrSaysThatItCannot(_ scenery: LoginScenery) throws {
        var state = scenery.state
        for size in Self.sizes where size.columns >= 20 && size.rows >= 5 {
            state.view = .main
            let address = try #require(state.addresses.first?.address)
            let main = texts(lines(state, size)).joined(separator: "\n")
            #expect(main.contains(address) || main.contains("v address"), "\(size)")
            if let code = state.login?.userCode, main.contains(address) { #expect(main.contains(code), "\(size)") }
            if main.contains("v address") || state.addresses.count == 1 { continue }
            for (_, address) in state.addresses { #expect(main.contains(address), "\(size)") }
        }
        for index in state.addresses.indices {
            state.view = .address(index)
            for size in Self.sizes where size.columns >= 20 && size.rows >= 5 {
                let alone = texts(lines(state, size)).joined(separator: "\n")
                #expect(alone.contains(state.addresses[index].address) || alone.contains("too"), "\(size)")
            }
        }
    }

    @Test(arguments: LoginScenery.allCases)
    func staysWholeWhateverIsPressed(_ scenery: LoginScenery) {
        let keys: [Key] =
            [.up, .down, .pageUp, .pageDown, .home, .end, .enter, .escape, .tab, .backspace, .delete, .eraseLine]
            + "hadynvpqbrjk1語".map { .character($0) } + [.pasted("https://x"), .pasted(LoginScenery.evilText)]
        var state = scenery.state
        for round in 0..<400 {
            _ = state.pressed(keys.randomElement() ?? .enter)
            if round % 50 == 0 { state.screenReceived(LoginScenery.screen) }
            guard round % 10 == 0, let size = Self.sizes.randomElement() else { continue }
            let lines = lines(state, size)
            #expect(lines.count == size.rows && lines.allSatisfy { $0.width <= size.columns }, "\(size) \(state)")
        }
    }

    @Test func hasAPictureWhereThereIsRoom() {
        func hasPicture(_ columns: Int, _ rows: Int) -> Bool {
            LoginScenery.text(LoginScenery.device.state, columns, rows).contains("▄▄▄▄▄")
        }
        #expect(hasPicture(80, 24) && hasPicture(120, 40) && hasPicture(50, 36) && hasPicture(300, 100))
        #expect(!hasPicture(40, 12) && !hasPicture(80, 16) && !hasPicture(28, 50))
    }

    @Test func keepsTheChosenHostInSight() {
        var state = LoginScenery.manyHosts.state
        for size in [ScreenSize(columns: 80, rows: 24), ScreenSize(columns: 20, rows: 5)] {
            state.chosenHost = state.screen.loginHosts.first?.url
            for host in state.screen.loginHosts.prefix(50) {
                #expect(
                    lines(state, size).contains { $0.text.contains("> ") && $0.text.contains(host.label.prefix(12)) },
                    "\(host.label)")
                _ = state.pressed(.down)
            }
        }
    }

    @Test(arguments: LoginScenery.allCases)
    func makesTextFromOutsideInert(_ scenery: LoginScenery) {
        var state = scenery.state
        let evil = LoginScenery.evilText
        var screen = state.screen
        screen.title = evil
        screen.loginHosts = screen.loginHosts.map {
            LoginHost(url: $0.url + evil, label: evil, origin: .user, selected: $0.selected, removable: true)
        }
        let view = state.view
        state.screenReceived(screen, bar: NavigationBar(back: .init(evil), title: evil, settings: .init(evil)))
        state.view = view
        _ = state.pressed(.pasted(evil))
        for size in [ScreenSize(columns: 80, rows: 24), ScreenSize(columns: 40, rows: 12)] {
            let text = lines(state, size).map(\.text).joined()
            #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{9b}" || $0 == "\u{202e}" })
        }
    }

    @Test(
        arguments: [
            ("#0dc3bb", nil, Terminal.Colors.all, "48;2;13;195;187;38;2;0;0;0"),
            ("navy", nil, .all, "48;2;0;0;128;38;2;255;255;255"),
            ("#0dc3bb", "white", .palette, "48;5;37;38;5;231"), ("red", nil, .sixteen, "101;30"),
            ("#ccc", "#ddd", .sixteen, "47;30"), (nil, "navy", .all, "38;2;0;0;128"), ("transparent", nil, .all, nil),
            ("nonsense", nil, .all, nil),
        ] as [(String?, String?, Terminal.Colors, String?)])
    func coloursTheBar(_ bar: String?, _ text: String?, _ colors: Terminal.Colors, _ parameters: String?) throws {
        var state = LoginScenery.device.state
        var screen = LoginScenery.screen
        screen.navigationBarColor = bar
        screen.navigationBarTextColor = text
        state.screenReceived(screen)
        var terminal = Terminal(isTerminal: true, usesColor: true, redraws: true)
        terminal.colors = colors
        func row(_ terminal: Terminal) throws -> String {
            let view = LoginScreenView(state: state, size: ScreenSize(columns: 80, rows: 24), terminal: terminal)
            return try #require(view.lines.first).rendered(on: terminal)
        }
        if let parameters {
            #expect(try row(terminal).contains(parameters))
        } else {
            #expect(try !row(terminal).contains("8;"))
        }
        terminal.usesColor = false
        #expect(try !row(terminal).contains("\u{1b}"))
    }
}
