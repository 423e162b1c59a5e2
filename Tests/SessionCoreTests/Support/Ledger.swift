import SceneModel

@testable import SessionCore

extension StoredSession {
    /// What a store has to do with a change; written anew here, so that the session's own application of it is checked.
    mutating func store(_ change: Change) {
        record = change.session
        for operation in change.operations {
            switch operation {
            case .putAccount(let new):
                accounts = accounts.replacing(new) { $0.account.id == new.account.id }
            case .removeAccount(let id):
                accounts.removeAll { $0.account.id == id }
            case .putRevocation(let new):
                revocations = revocations.replacing(new) { $0.id == new.id }
            case .removeRevocation(let id):
                revocations.removeAll { $0.id == id }
            case .putLogoutRemote(let sequence, let remote):
                logoutRemotes[sequence] = remote
            case .putLoginHost(let url, let label):
                let host = LoginHost(url: url, label: label, origin: .user, removable: true)
                loginHosts = loginHosts.replacing(host) { $0.url == url }
            case .removeLoginHost(let url):
                loginHosts.removeAll { $0.url == url }
            }
        }
        history += change.events
        // A store may keep more than it has to.
        if history.count > 2 * historyLimit { history.removeFirst(history.count - historyLimit) }
    }
}

extension Array {
    fileprivate func replacing(_ new: Element, where isSame: (Element) -> Bool) -> Self {
        guard let index = firstIndex(where: isSame) else { return self + [new] }
        var copy = self
        copy[index] = new
        return copy
    }
}
