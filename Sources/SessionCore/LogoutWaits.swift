import SceneModel

/// A logout whose reply waits, for a short time, for the login host.
struct LogoutWait: Sendable {
    enum Answer: Sendable {
        case one, all, count
    }

    struct Result: Sendable {
        let revocation: String
        let account: Account
        /// Nil until it is known.
        var remote: LogoutResult.Remote?
        var endSessionUri: String?
    }

    var caller: Caller
    var answer: Answer
    var at: Cursor
    var deadline: Instant
    /// In the order of the change.
    var results: [Result]

    /// How many results are not known yet.
    fileprivate(set) var open = 0
}

/// Found by their call and by the revocations that they wait for; each waits as long as the others, so that the first
/// one's time is up first.
struct LogoutWaits: Sendable {
    private var queue = CallQueue<LogoutWait>()
    private var places: [String: (call: CallID, result: Int)] = [:]

    var isEmpty: Bool { queue.isEmpty }
    var calls: [CallID] { queue.map(\.caller.call) }
    var deadline: Instant? { queue.first?.deadline }

    mutating func append(_ wait: LogoutWait) {
        var wait = wait
        wait.open = wait.results.count { $0.remote == nil }
        for (number, result) in wait.results.enumerated() {
            places[result.revocation] = (wait.caller.call, number)
        }
        queue.append(wait, for: wait.caller.call)
    }

    @discardableResult
    mutating func remove(_ call: CallID) -> LogoutWait? {
        let wait = queue.remove(call)
        for result in wait?.results ?? [] { places[result.revocation] = nil }
        return wait
    }

    /// Each has a state of its own: the first stays.
    mutating func endSessionKnown(_ revocation: String, _ uri: String) {
        guard let (call, number) = places[revocation], queue[call]?.results[number].endSessionUri == nil else { return }
        queue[call]?.results[number].endSessionUri = uri
    }

    /// What became of a revocation. Takes the wait out that has nothing to wait for any more.
    mutating func remoteKnown(_ revocation: String, _ remote: LogoutResult.Remote) -> LogoutWait? {
        guard let (call, number) = places[revocation], queue[call]?.results[number].remote == nil else { return nil }
        queue[call]?.results[number].remote = remote
        queue[call]?.open -= 1
        return queue[call]?.open == 0 ? remove(call) : nil
    }

    mutating func takeLate(_ now: Instant) -> [LogoutWait] {
        var late: [LogoutWait] = []
        while let first = queue.first, first.deadline <= now, let wait = remove(first.caller.call) { late.append(wait) }
        return late
    }
}
