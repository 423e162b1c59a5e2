import SceneModel

extension Session {
    /// When `timeReached` is wanted next.
    package var nextDeadline: Instant? {
        var next: Instant?
        func consider(_ instant: Instant) { next = min(next ?? instant, instant) }
        for waiter in waiters { consider(waiter.deadline) }
        for wait in logouts { consider(wait.deadline) }
        for (id, due) in revocationDue where !revoking.contains(id) { consider(due) }
        for kept in unstored.values { consider(kept.due) }
        if let keptUntil = login?.keptUntil { consider(keptUntil) }
        if case .polling(let polling) = login?.state, let due = polling.due { consider(due) }
        if let owedEndDue { consider(owedEndDue) }
        return next
    }

    /// The clock has come to `nextDeadline`, or later.
    package mutating func timeReached(world: World) -> [Action] {
        expireWaiters(world) + expireLogouts(world) + retryRevocations(world: world) + retryUnstored(world)
            + retryOwedEnd(world) + giveUpKeptLogin(world) + pollDevice(world)
    }

    private mutating func retryOwedEnd(_ world: World) -> [Action] {
        guard let due = owedEndDue, due <= world.now.boot else { return [] }
        owedEndDue = nil
        return enqueue(.announceEnd, world)
    }
}

extension Session {
    package mutating func lockRequested(_ caller: Caller, _ locks: Bool, world: World) -> [Action] {
        enqueue(.setLocked(caller, locks), world)
    }
}

/// Saturating: what a file, a login host or a clock says is no reason to trap.
extension Int {
    func plus(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    func minus(_ other: Int) -> Int {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
