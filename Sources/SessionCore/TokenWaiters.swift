import SceneModel

/// A call that waits for a refresh.
struct TokenWaiter: Sendable {
    var caller: Caller
    var scope: String?
    /// What a resource has refused: no answer to this call, however long it lives.
    var rejected: Secret?
    /// The tokens of one refresh had expired before they were stored.
    var isSecondTry = false
}

/// The calls that wait for refreshes, by account and in the order in which they came.
struct TokenWaiters: Sendable {
    private var queues: [String: CallQueue<TokenWaiter>] = [:]
    private var accounts: [CallID: String] = [:]

    var calls: some Sequence<CallID> { accounts.keys }

    mutating func append(_ waiter: TokenWaiter, account: String) {
        queues[account, default: CallQueue()].append(waiter, for: waiter.caller.call)
        accounts[waiter.caller.call] = account
    }

    mutating func remove(_ call: CallID) {
        guard let account = accounts.removeValue(forKey: call) else { return }
        queues[account]?.remove(call)
        if queues[account]?.isEmpty == true { queues[account] = nil }
    }

    mutating func take(account: String) -> [TokenWaiter] {
        let waiters = queues.removeValue(forKey: account).map { Array($0) } ?? []
        for waiter in waiters { accounts[waiter.caller.call] = nil }
        return waiters
    }

    mutating func takeAll() -> [TokenWaiter] {
        queues.keys.sorted().flatMap { take(account: $0) }
    }
}
