import SceneModel

extension Session {
    /// When `timeReached` is wanted next.
    package var nextDeadline: Instant? {
        var next: Instant?
        func consider(_ instant: Instant) { next = min(next ?? instant, instant) }
        if let deadline = waiters.deadline { consider(deadline) }
        if let deadline = logouts.deadline { consider(deadline) }
        if let nextRevocation { consider(nextRevocation) }
        for kept in unstored.values { consider(kept.due) }
        for kept in upkeep.values { if let renewal = kept.renewal { consider(renewal) } }
        if let keptUntil = login?.keptUntil { consider(keptUntil) }
        if let deadline = login?.sent?.deadline { consider(deadline) }
        if case .polling(let polling) = login?.state, let due = polling.due { consider(due) }
        if let owedDue { consider(owedDue) }
        if let screenDue { consider(screenDue) }
        for open in authorizations.values { if let deadline = open.deadline { consider(deadline) } }
        return next
    }

    /// The clock has come to `nextDeadline`, or later.
    package mutating func timeReached(world: World) -> [Action] {
        // First, lest somebody is shown a request or a code that has just ended.
        let wasSilent = dropSilentRequest(world)
        return pollDevice(world) + expireWaiters(world) + expireLogouts(world) + retryRevocations(world: world)
            + retryUnstored(world) + retryOwed(world) + retryScreen(world) + giveUpKeptLogin(world) + renew(world)
            + expireAuthorizations(world) + (wasSilent ? tell(world) : [])
    }

    private mutating func retryOwed(_ world: World) -> [Action] {
        guard let due = owedDue, due <= world.now.boot else { return [] }
        owedDue = nil
        return enqueue(.announceOwed, world)
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
