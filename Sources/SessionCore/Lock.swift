import SceneModel

// A locked session hands out no tokens. Calls lock and unlock it, and, where the app has it so, the user's screen.

/// Whether the user's screen is locked.
package enum Screen: Hashable, Sendable {
    /// It cannot be told.
    case unknown
    /// The user is not logged in anywhere, or nowhere that locks.
    case absent
    case locked, unlocked
}

extension Session {
    /// Errors: AccessDenied to who would unlock what the screen keeps locked.
    package mutating func lockRequested(_ caller: Caller, _ locks: Bool, world: World) -> [Action] {
        if !locks, let reason = unlockingRefusal {
            return [.fail(caller.call, .accessDenied(reason: reason))]
        }
        return enqueue(.setLocked(caller, locks), world)
    }

    /// Any process of the user can call, and the screen's password would be for nothing if that were enough.
    private var unlockingRefusal: String? {
        guard policy.lock == .session else { return nil }
        switch screen {
        case .locked: return "the screen is locked: unlock it, or run loginctl unlock-session"
        case .unknown: return "logind does not tell whether the screen is locked: see systemctl status systemd-logind"
        case .absent, .unlocked: return nil
        }
    }

    /// The user's screen was locked or unlocked, or became known.
    package mutating func screenChanged(_ screen: Screen, world: World) -> [Action] {
        self.screen = screen
        // Decided when its turn comes: what is on its way may lock or unlock before.
        return policy.lock == .session ? enqueue(.followScreen, world) : []
    }

    /// What the screen makes of the lock; nil where all is as it should be. It takes back its own lock only: one that was
    /// called for waits for a call.
    var screenWants: Bool? {
        guard policy.lock == .session else { return nil }
        switch screen {
        case .locked: return record.locked ? nil : true
        case .unlocked: return record.locked && isLockedByScreen ? false : nil
        case .absent, .unknown: return nil
        }
    }

    /// As the history tells, also after a restart; so old a lock that it no longer does is the screen's.
    private var isLockedByScreen: Bool {
        history.last { $0.kind == .locked }.map { $0.reason == Self.screenReason } ?? true
    }

    /// Of the events `locked` and `unlocked` (README, "Reasons").
    static let screenReason = "screen"

    mutating func retryScreen(_ world: World) -> [Action] {
        guard let due = screenDue, due <= world.now.boot else { return [] }
        screenDue = nil
        return enqueue(.followScreen, world)
    }
}
