import CommandLine
import SceneSession
import TerminalScreen
import Testing

@testable import SceneWindow

struct ScreenTests {
    @Test(arguments: Scenery.allCases)
    func fillsAUsualTerminal(_ scenery: Scenery) {
        #expect(Fixtures.text(scenery.state, Fixtures.size80x24) == Screens80x24.text(scenery))
    }

    @Test(arguments: Scenery.allCases)
    func fitsTheLeastSize(_ scenery: Scenery) {
        #expect(Fixtures.text(scenery.state, Fixtures.size40x12) == Screens40x12.text(scenery))
    }

    @Test(arguments: Scenery.allCases)
    func hasOneLineForEachRowAtAnySize(_ scenery: Scenery) {
        for columns in [1, 2, 7, 39, 40, 41, 59, 60, 61, 80, 300] {
            for rows in [1, 2, 11, 12, 13, 19, 20, 21, 100] {
                let lines = Screen(state: scenery.state, size: ScreenSize(columns: columns, rows: rows)).lines
                #expect(lines.count == rows, "\(columns)x\(rows)")
                #expect(lines.allSatisfy { $0.width <= columns }, "\(columns)x\(rows)")
            }
        }
    }

    @Test func saysThatASmallerTerminalIsTooSmall() {
        let text = Fixtures.text(Scenery.signedIn.state, ScreenSize(columns: 39, rows: 12))
        #expect(text.hasPrefix("Too small: scene-window needs 40x12"))
    }

    @Test(arguments: [Fixtures.size80x24, Fixtures.size40x12])
    func showsAnAddressWhole(_ size: ScreenSize) {
        let address = "http://127.0.0.1:35977/" + String(repeating: "0123456789", count: 16)
        var state = Fixtures.window(Fixtures.alice, Fixtures.bob)
        var progress = LoginProgress(.presenting)
        progress.loginScreen = address
        state.presents(progress)
        let lines = Screen(state: state, size: size).lines
        var shown = ""
        for (index, line) in lines.enumerated() where index > 0 && lines[index - 1].continues || line.continues {
            shown += line.text
        }
        #expect(shown == address)
        #expect(lines.filter(\.continues).allSatisfy { $0.width == size.columns })
    }

    @Test func saysThatAnAddressDoesNotFit() {
        var state = Fixtures.window()
        var progress = LoginProgress(.presenting)
        progress.loginScreen = "http://127.0.0.1/" + String(repeating: "x", count: 2000)
        state.presents(progress)
        #expect(Fixtures.text(state, Fixtures.size40x12).contains("too small for the\naddress"))
    }

    @Test func theLoginScreenGivesWayToWhatIsMoreUrgent() {
        var state = Scenery.signingIn.state
        state.presence = .away
        #expect(Fixtures.text(state, Fixtures.size80x24).contains("scened is away"))
        state.presence = .connected
        state.snapshot.accounts = [Fixtures.alice, Fixtures.bob]
        state.openList()
        #expect(Fixtures.text(state, Fixtures.size80x24).contains("Choose an account"))
        _ = state.pressed(.escape)
        #expect(Fixtures.text(state, Fixtures.size80x24).contains("‹ Back"))
    }

    @Test func whatHappensIsToldOnTheLoginScreen() {
        var state = Scenery.signingIn.state
        state.failed(.failure(.invalidLoginHost(url: "ftp://x", reason: "only https addresses are login hosts")))
        #expect(Fixtures.text(state, Fixtures.size80x24).contains("only https addresses are login hosts"))
    }

    @Test func showsACodeForAnotherDevice() {
        var state = Fixtures.window()
        var progress = LoginProgress(.presenting)
        progress.userCode = "WDJB-MJHT"
        progress.verificationUri = "https://login.example.com/device"
        state.presents(progress)
        let text = Fixtures.text(state, Fixtures.size40x12)
        #expect(text.contains("WDJB-MJHT") && text.contains("https://login.example.com/device"))
    }

    @Test(arguments: [Fixtures.size80x24, Fixtures.size40x12])
    func keepsTheChosenAccountInSight(_ size: ScreenSize) {
        var state = Fixtures.window()
        state.snapshot.accounts = (1...50).map { Fixtures.account("user\($0)", nil) }
        state.openList()
        for index in 0..<50 {
            #expect(Fixtures.text(state, size).contains("user\(index + 1)"), "\(index)")
            state.moved(by: 1)
        }
    }

    @Test func makesTextFromOutsideInert() {
        let evil = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}x\r\n"
        var account = Fixtures.account(evil, evil)
        account.loginHost = evil
        account.email = evil
        var state = Fixtures.window(account, account)
        state.title = evil
        state.scene = evil
        state.happened(
            Fixtures.event(.loggedOut) {
                $0.account = account
                $0.reason = evil
            }, Fixtures.event(.loginStarted) { $0.presenter = evil }, Fixtures.event(.loginEnded) { $0.reason = evil },
            Fixtures.event(.loginHostChanged) { $0.loginHost = evil },
            Fixtures.event(.authorizationRequested) { $0.requestingApp = evil })
        state.failed(.failure(.loginFailed(code: evil, description: evil)))
        var progress = LoginProgress(.presenting)
        progress.loginScreen = evil
        var logins = [state, state]
        logins[1].presents(progress) { screen in
            screen.title = evil
            screen.loginHosts = [LoginHost(url: evil, label: evil, selected: true)]
        }
        for state in logins {
            for size in [Fixtures.size80x24, Fixtures.size40x12] {
                let text = Fixtures.text(state, size)
                #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0 == "\u{202e}" })
            }
        }
    }
}
