import CommandLine
import SceneModel

extension LoginScreenState {
    /// Changes what is shown; what needs the program is returned.
    package mutating func pressed(_ key: Key) -> LoginScreenWish? {
        noticeSeen()
        switch view {
        case .main: return pressedInMain(key)
        case .hosts: return pressedInHosts(key)
        case .adding(let host): return pressedAdding(host, key)
        case .removing(let host): return pressedRemoving(host, key)
        case .pasting(let field): return pressedPasting(field, key)
        case .address(let index):
            switch key {
            case .character("v"): view = index + 1 < addresses.count ? .address(index + 1) : .main
            case .character("q"): return .quit
            case .pasted(let text): return pasted(text)
            default: view = .main
            }
            return nil
        }
    }

    // MARK: Main

    private mutating func pressedInMain(_ key: Key) -> LoginScreenWish? {
        if login?.state == .selecting, let wish = pressedSelecting(key) { return wish }
        switch key {
        case .character("q"): return .quit
        case .character("h") where showsSettings:
            chosenHost = host?.url ?? chosenHost
            if !screen.loginHosts.contains(where: { $0.url == chosenHost }) {
                chosenHost = screen.loginHosts.first?.url
            }
            view = .hosts
        case .character("r") where hasEnded, .enter where hasEnded: return .tryAgain
        case .character("v") where !addresses.isEmpty: view = .address(0)
        case .character("p") where acceptsPasting && isPresented: view = .pasting(TextField())
        case .character("o") where opensBrowser: return addresses.first.map { .openBrowser($0.address) }
        case .character("b") where showsBack, .escape where showsBack: return .goBack
        case .escape: told("There is nothing to go back to; q ends the login.")
        case .pasted(let text): return pasted(text)
        default: break
        }
        return nil
    }

    /// Wherever a login waits for it: nobody has to look for the right place first.
    private mutating func pasted(_ text: String) -> LoginScreenWish? {
        guard isPresented, text.contains("://") else { return nil }
        view = .main
        return .handOver(text)
    }

    private mutating func pressedSelecting(_ key: Key) -> LoginScreenWish? {
        let index = accounts.firstIndex { $0.id == chosenAccount } ?? 0
        if let moved = Self.moved(key, from: index, count: accounts.count) {
            chosenAccount = accounts[safely: moved]?.id
            return nil
        }
        switch key {
        case .enter: return accounts[safely: index].map { .switchTo($0) }
        case .character(let digit):
            guard let number = digit.wholeNumberValue, number > 0 else { return nil }
            return accounts[safely: number - 1].map { .switchTo($0) }
        default: return nil
        }
    }

    // MARK: Login hosts

    private mutating func pressedInHosts(_ key: Key) -> LoginScreenWish? {
        let hosts = screen.loginHosts
        let index = hosts.firstIndex { $0.url == chosenHost } ?? 0
        if let moved = Self.moved(key, from: index, count: hosts.count) {
            chosenHost = hosts[safely: moved]?.url
            return nil
        }
        switch key {
        case .character("q"): return .quit
        case .escape, .character("b"), .character("h"): view = .main
        case .enter: return hosts[safely: index].flatMap { selected($0) }
        case .character("a") where canAdd: view = .adding(NewHost())
        case .character("d"), .delete:
            guard let host = hosts[safely: index] else { break }
            if host.removable {
                view = .removing(host)
            } else {
                told("\(host.origin == .managed ? "The administrator" : "The app") has set this one; it stays.")
            }
        default: break
        }
        return nil
    }

    private mutating func selected(_ host: LoginHost) -> LoginScreenWish? {
        view = .main
        if host.url == self.host?.url { return hasEnded ? .tryAgain : nil }
        loginHost = nil
        hostLeft()
        if login?.state == .waiting { told("The next login goes there; the one under way stays where it is.") }
        return .selectHost(host.url)
    }

    private mutating func pressedAdding(_ host: NewHost, _ key: Key) -> LoginScreenWish? {
        var host = host
        let isHandled = host.isAtLabel ? host.label.pressed(key) : host.address.pressed(key)
        switch key {
        case _ where isHandled: break
        case .tab, .up, .down: host.isAtLabel.toggle()
        case .escape:
            view = .hosts
            return nil
        case .enter where host.address.trimmed.isEmpty:
            told("Type the address of a login host, as in https://login.example.com.")
            host.isAtLabel = false
        case .enter where !host.isAtLabel: host.isAtLabel = true
        case .enter:
            let label = host.label.trimmed
            return .addHost(url: host.address.trimmed, label: label.isEmpty ? nil : label)
        default: break
        }
        view = .adding(host)
        return nil
    }

    private mutating func pressedRemoving(_ host: LoginHost, _ key: Key) -> LoginScreenWish? {
        switch key {
        case .character("y"):
            view = .hosts
            if host.url == self.host?.url, loginHost == nil { hostLeft() }
            return .removeHost(host.url)
        case .escape, .character("n"): view = .hosts
        default: break
        }
        return nil
    }

    private mutating func pressedPasting(_ field: TextField, _ key: Key) -> LoginScreenWish? {
        var field = field
        if field.pressed(key) {
            view = .pasting(field)
        } else if key == .escape || key == .enter {
            view = .main
            if key == .enter, !field.trimmed.isEmpty { return .handOver(field.trimmed) }
        }
        return nil
    }

    /// Where a key leads in a list; nil where it does not move.
    private static func moved(_ key: Key, from index: Int, count: Int) -> Int? {
        let target: Int
        switch key {
        case .up, .character("k"): target = index - 1
        case .down, .character("j"): target = index + 1
        case .pageUp: target = index - 10
        case .pageDown: target = index + 10
        case .home: target = 0
        case .end: target = count - 1
        default: return nil
        }
        return max(0, min(target, count - 1))
    }
}
