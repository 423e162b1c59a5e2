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
        return next
    }

    /// The clock has come to `nextDeadline`, or later.
    package mutating func timeReached(world: World) -> [Action] {
        expireWaiters(world) + expireLogouts(world) + retryRevocations(world: world) + retryUnstored(world)
    }
}

extension Session {
    /// The daemon has taken the session up from the store.
    package mutating func restarted(world: World) -> [Action] {
        retryRevocations(world: world)
    }

    package mutating func lockRequested(_ caller: Caller, _ locks: Bool, world: World) -> [Action] {
        enqueue(.setLocked(caller, locks), world)
    }
}
