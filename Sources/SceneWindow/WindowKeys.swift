import SceneSession
import TerminalScreen

/// What a key asks for.
enum Wish: Equatable {
    case signIn, signInAnother, cancelLogin, fetchToken, quit
    case switchTo(Account)
    case logout(Account)
    case logoutAll
    /// Of the login screen.
    case login(LoginScreenWish)
}

extension WindowState {
    /// Changes what is shown; what needs scened is returned.
    mutating func pressed(_ key: Key) -> Wish? {
        if showsLogin { return pressedInLogin(key) }
        if key == .character("q") { return .quit }
        // A text must not sign anybody out.
        if case .pasted = key { return nil }
        notice = nil
        if chosen != nil, isForList(key) { return checked(pressedInList(key)) }
        guard case .character(let letter) = key else { return nil }
        return checked(wish(for: letter))
    }

    private mutating func pressedInLogin(_ key: Key) -> Wish? {
        notice = nil
        if key == .character("c"), login?.view == .main { return .cancelLogin }
        var wish: LoginScreenWish?
        loginChanged { wish = $0.pressed(key) }
        return wish == .quit ? .quit : wish.map { .login($0) }
    }

    /// While scened is away, nothing is put off to do itself later, unseen.
    private mutating func checked(_ wish: Wish?) -> Wish? {
        guard wish != nil, presence != .connected else { return wish }
        told("not now: scened is away")
        return nil
    }

    private func isForList(_ key: Key) -> Bool {
        guard case .character(let character) = key else { return true }
        return "jks123456789".contains(character)
    }

    private mutating func pressedInList(_ key: Key) -> Wish? {
        let accounts = snapshot.accounts
        switch key {
        case .up, .character("k"): moved(by: -1)
        case .down, .character("j"): moved(by: 1)
        case .escape, .character("s"): chosen = nil
        case .enter: return choice(accounts.first { $0.id == chosen })
        case .character(let digit):
            guard let number = digit.wholeNumberValue, number >= 1, number <= accounts.count else { return nil }
            return choice(accounts[number - 1])
        default: break
        }
        return nil
    }

    private mutating func choice(_ account: Account?) -> Wish? {
        guard let account else { return nil }
        chosen = nil
        return account.id == snapshot.current?.id ? nil : .switchTo(account)
    }

    private mutating func wish(for letter: Character) -> Wish? {
        switch letter {
        case "l":
            if isWaiting, snapshot.loginUnderWay {
                told("a login is under way; c cancels it")
                return nil
            }
            return snapshot.accounts.isEmpty ? .signIn : .signInAnother
        case "s":
            if snapshot.accounts.isEmpty { told("there is no account to choose") } else { openList() }
        case "o":
            if let current = snapshot.current { return .logout(current) }
            told("nobody is signed in")
        case "a":
            if !snapshot.accounts.isEmpty { return .logoutAll }
            told("nobody is signed in")
        case "t":
            return .fetchToken
        case "c":
            if snapshot.loginUnderWay || isWaiting { return .cancelLogin }
            told("no login is under way")
        default: break
        }
        return nil
    }
}
