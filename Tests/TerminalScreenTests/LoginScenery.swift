import CommandLine
import SceneModel

@testable import TerminalScreen

/// A login screen in a state that it can be in, by its name.
enum LoginScenery: String, CaseIterable {
    case asking, browser, remote, device, longCode, waiting, provider, authorizing, selecting, locked, refused, ended
    case hosts, manyHosts, adding, removing, pasting, evil, wide, barless

    static let production = LoginHost(
        url: "https://login.example.com", label: "Production", origin: .managed, selected: true)
    static let sandbox = LoginHost(url: "https://test.example.com", label: "Sandbox")
    static let own = LoginHost(
        url: "https://me.example.org", label: "https://me.example.org", origin: .user, removable: true)
    static let evilText = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}x\r\n<b>&amp;\u{9b}1m"

    static var screen: LoginScreen {
        var screen = LoginScreen()
        screen.loginHosts = [production, sandbox, own]
        screen.canAddLoginHost = true
        screen.showsBackButton = true
        return screen
    }

    static func progress(_ state: LoginProgress.State, _ change: (inout LoginProgress) -> Void = { _ in })
        -> LoginProgress
    {
        var progress = LoginProgress(state)
        change(&progress)
        return progress
    }

    static let deviceProgress = progress(.presenting) {
        $0.userCode = "WDJB-MJHT"
        $0.verificationUri = "https://login.example.com/device"
        $0.verificationUriComplete = "https://login.example.com/device?user_code=WDJB-MJHT"
        $0.expiresInSeconds = 300
    }

    static let browserProgress = progress(.presenting) {
        $0.loginScreen = "http://127.0.0.1:35977/3-zViGZg7nSBzihlROwZ6C/"
        $0.authorizationUri =
            "https://login.example.com/authorize?client_id=scene&redirect_uri=http%3A%2F%2F127.0.0.1%3A35977%2Fcallback"
            + "&response_type=code&scope=openid%20profile&state=0123456789abcdef0123456789abcdef&nonce=fedcba9876543210"
            + "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256"
    }

    var state: LoginScreenState {
        var state = LoginScreenState(acceptsPasting: [.remote, .pasting].contains(self))
        if self == .asking { return state }
        var screen = Self.screen
        switch self {
        case .manyHosts:
            screen.loginHosts += (1...1000).map { LoginHost(url: "https://h\($0).example.org", label: "Host \($0)") }
        case .barless: screen.showsNavigationBar = false
        case .evil:
            screen.title = Self.evilText
            screen.loginHosts = [LoginHost(url: Self.evilText, label: Self.evilText, selected: true)]
        case .wide:
            screen.title = "ログインしてください"
            screen.loginHosts[0].label = "プロダクション環境の認証サーバー・東京リージョン・とても長い名前のホスト"
        default: break
        }
        state.screenReceived(screen)
        state.progressed(progress)
        happened(&state)
        return state
    }

    private var progress: LoginProgress {
        switch self {
        case .browser, .remote, .pasting: Self.browserProgress
        case .waiting: LoginProgress(.waiting)
        case .provider: Self.progress(.waiting) { $0.identityProvider = "accounts" }
        case .authorizing: LoginProgress(.authorizing)
        case .locked: LoginProgress(.locked)
        case .selecting:
            Self.progress(.selecting) {
                $0.accounts = ["alice", "bob"].map {
                    Account(id: $0, subject: $0, loginHost: "https://login.example.com", username: $0)
                }
            }
        case .longCode:
            Self.progress(.presenting) {
                $0.userCode = "WDJB-MJHT-ABCDEFGH-12345678"
                $0.verificationUri = "https://login.example.com/" + String(repeating: "device/", count: 20)
                $0.verificationUriComplete = "https://login.example.com/" + String(repeating: "x", count: 400)
            }
        case .evil:
            Self.progress(.presenting) {
                $0.userCode = Self.evilText
                $0.verificationUri = Self.evilText
                $0.identityProvider = Self.evilText
            }
        default: Self.deviceProgress
        }
    }

    private func happened(_ state: inout LoginScreenState) {
        switch self {
        case .refused:
            state.failed(
                "'ftp://x' cannot be a login host: only https addresses are login hosts. Try: scenectl hosts list")
        case .ended: state.loginEnded("The login host cannot be reached or is overloaded.")
        case .hosts, .manyHosts: _ = state.pressed(.character("h"))
        case .adding:
            for key in [.character("h"), .character("a"), .pasted("login.example.org/a/b"), .enter] as [Key] {
                _ = state.pressed(key)
            }
        case .removing: for key in [.character("h"), .end, .delete] as [Key] { _ = state.pressed(key) }
        case .pasting: for key in [.character("p"), .character("h")] as [Key] { _ = state.pressed(key) }
        default: break
        }
    }

    static func text(_ state: LoginScreenState, _ columns: Int, _ rows: Int, usesColor: Bool = false) -> String {
        let terminal = Terminal(isTerminal: true, usesColor: usesColor, redraws: true)
        let size = ScreenSize(columns: columns, rows: rows)
        return LoginScreenView(state: state, size: size, terminal: terminal).lines.map { line in
            var text = line.text
            while text.hasSuffix(" ") { text.removeLast() }
            return text
        }.joined(separator: "\n")
    }
}
