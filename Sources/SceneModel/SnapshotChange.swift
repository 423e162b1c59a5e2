extension Snapshot {
    /// Follows the history: a snapshot with the events that came after it is the snapshot of later.
    public mutating func apply(_ event: Event) {
        switch event.kind {
        case .snapshot:
            if let snapshot = event.snapshot { self = snapshot }
        case .currentUserChanged:
            current = event.current
            pending = current.map { $0.state == .loginRequired ? .login : .nothing } ?? .nothing
        case .loggedIn, .accountChanged:
            put(event.account)
        case .loggedOut:
            accounts.removeAll { $0.id == event.account?.id }
        case .selectionRequired:
            pending = .selection
        case .loginRequired:
            put(event.account)
            if event.account == nil || event.account?.id == current?.id { pending = .login }
        case .loginStarted:
            loginUnderWay = true
            presenter = event.presenter
        case .loginEnded:
            loginUnderWay = false
            presenter = nil
        case .loginHostChanged:
            if let host = event.loginHost { loginHost = host }
        case .locked, .unlocked:
            locked = event.kind == .locked
        case .resumed, .authorizationRequested, .authorizationEnded:
            break
        }
    }

    private mutating func put(_ account: Account?) {
        guard let account else { return }
        if let index = accounts.firstIndex(where: { $0.id == account.id }) {
            accounts[index] = account
        } else {
            accounts.append(account)
        }
        guard current?.id == account.id else { return }
        current = account
        if account.state != .loginRequired { pending = .nothing }
    }
}
