import CommandLine
import SceneSession
import TerminalScreen

@testable import SceneWindow

enum Fixtures {
    static let host = "https://login.example.com"
    static let alice = account("alice", "Alice Example")
    static let bob = account("bob", "Bob Example")
    static let carol = account("carol", "カロル・例")

    static func account(_ name: String, _ displayName: String?, state: Account.State = .active) -> Account {
        Account(
            id: "id-" + name, issuer: host, subject: "7", loginHost: host, username: name, displayName: displayName,
            email: name + "@example.com", state: state)
    }

    static let size80x24 = ScreenSize(columns: 80, rows: 24)
    static let size40x12 = ScreenSize(columns: 40, rows: 12)

    /// A window that has connected to a session with these accounts, the first of them current.
    static func window(_ accounts: Account..., change: (inout Snapshot) -> Void = { _ in }) -> WindowState {
        var state = WindowState(app: "notes", title: "Editor")
        state.connected(scene: "0vuqh9y201px01ji51dc")
        var event = Event(.snapshot, at: Cursor(epoch: "e", sequence: 7))
        var snapshot = Snapshot()
        snapshot.accounts = accounts
        snapshot.current = accounts.first
        snapshot.loginHost = host
        change(&snapshot)
        event.snapshot = snapshot
        state.happened(event, time: "08:05:09")
        return state
    }

    static func event(_ kind: Event.Kind, _ sequence: Int = 8, _ change: (inout Event) -> Void = { _ in }) -> Event {
        var event = Event(kind, at: Cursor(epoch: "e", sequence: sequence))
        change(&event)
        return event
    }

    static func text(_ state: WindowState, _ size: ScreenSize) -> String {
        Screen(state: state, size: size).lines.map { line in
            var text = line.text
            while text.hasSuffix(" ") { text.removeLast() }
            return text
        }.joined(separator: "\n")
    }
}

extension WindowState {
    /// As the window's controller has it show a login.
    mutating func presents(_ progress: LoginProgress, _ change: (inout LoginScreen) -> Void = { _ in }) {
        var screen = LoginScreen()
        screen.showsBackButton = true
        screen.canAddLoginHost = true
        screen.loginHosts = [LoginHost(url: Fixtures.host, label: "Production", selected: true)]
        change(&screen)
        isWaiting = true
        loginOpened(LoginScreenState())
        loginChanged {
            $0.screenReceived(screen)
            $0.progressed(progress)
        }
    }

    mutating func happened(_ events: Event...) {
        for event in events { happened(event, time: "08:05:1\(event.at.sequence % 10)") }
    }
}

/// A state that a window can be in, by its name.
enum Scenery: String, CaseIterable {
    case connecting, signingIn, waiting, signedIn, severalAccounts, selecting, loggedOut, away, locked

    var state: WindowState {
        switch self {
        case .connecting: return WindowState(app: "notes", title: "Editor")
        case .signingIn:
            var state = Fixtures.window()
            state.happened(Fixtures.event(.loginStarted) { $0.presenter = state.scene })
            var progress = LoginProgress(.presenting)
            progress.loginScreen = "http://127.0.0.1:35977/3-zViGZg7nSBzihlROwZ6C/"
            state.presents(progress)
            return state
        case .waiting:
            var state = Fixtures.window()
            state.happened(Fixtures.event(.loginStarted) { $0.presenter = "2yb6ught8bw1l3vkkk" })
            state.isWaiting = true
            return state
        case .signedIn: return Fixtures.window(Fixtures.alice)
        case .severalAccounts:
            var state = Fixtures.window(Fixtures.alice)
            state.happened(
                Fixtures.event(.loggedIn) { $0.account = Fixtures.bob },
                Fixtures.event(.currentUserChanged, 9) {
                    $0.previous = Fixtures.alice
                    $0.current = Fixtures.bob
                },
                Fixtures.event(.loggedIn, 10) { $0.account = Fixtures.carol })
            state.told("the current user is Bob Example")
            return state
        case .selecting:
            var state = Fixtures.window(Fixtures.alice, Fixtures.bob, Fixtures.carol)
            state.happened(
                Fixtures.event(.loggedOut) { $0.account = Fixtures.alice },
                Fixtures.event(.currentUserChanged, 9) { $0.previous = Fixtures.alice },
                Fixtures.event(.selectionRequired, 10) { $0.accounts = [Fixtures.bob, Fixtures.carol] })
            state.moved(by: 1)
            return state
        case .loggedOut:
            var state = Fixtures.window(Fixtures.alice)
            state.happened(
                Fixtures.event(.loggedOut) {
                    $0.account = Fixtures.alice
                    $0.reason = "end of shift"
                },
                Fixtures.event(.currentUserChanged, 9) { $0.previous = Fixtures.alice },
                Fixtures.event(.loginRequired, 10))
            state.failed(.failure(.loginCancelled))
            return state
        case .away:
            var state = Fixtures.window(Fixtures.alice, Fixtures.bob)
            state.presence = .away
            return state
        case .locked:
            var state = Fixtures.window(Fixtures.alice)
            state.happened(Fixtures.event(.locked))
            return state
        }
    }
}
