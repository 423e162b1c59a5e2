/// A user's login sessions, and whether their screen is locked: it is when a session of theirs is locked, and none of
/// their graphical ones is not.
///
/// Sessions over ssh and on a text console lock only where they are told to, and do not keep a desktop's lock from
/// counting. The end of a locked session unlocks nothing: the user's next login does.
package struct UserScreens: Equatable {
    private struct Session: Equatable {
        var isGraphical: Bool
        var isLocked: Bool
        /// LockedHint has said so. A lock that was only asked for ends when unlocking is asked for.
        var isHinted: Bool
    }

    private var sessions: [String: Session] = [:]
    /// Nil: there was no session yet.
    package private(set) var isLocked: Bool?

    package init() {}

    package var paths: [String] { Array(sessions.keys) }

    /// Sessions that were asked to lock, and whose lock logind's properties do not show.
    package var unhinted: [String] { sessions.filter { $0.value.isLocked && !$0.value.isHinted }.map(\.key) }

    /// A session as its properties have it: a new one, or one known before, after signals may have been missed. `wasAsked`:
    /// it is known to have been asked to lock. `isNewLogind`: logind has started anew, and may have forgotten the hint.
    package mutating func found(
        _ path: String, isGraphical: Bool, lockedHint: Bool, wasAsked: Bool = false, isNewLogind: Bool = false
    ) {
        guard var session = sessions[path] else {
            let isLocked = lockedHint || wasAsked
            sessions[path] = Session(isGraphical: isGraphical, isLocked: isLocked, isHinted: lockedHint)
            return settle(isPresent: !isLocked)
        }
        session.isGraphical = isGraphical
        sessions[path] = session
        if lockedHint || (session.isHinted && !isNewLogind) { return hinted(path, lockedHint) }
        settle(isPresent: false)
    }

    /// The session was asked to lock or unlock its screen (the signals Lock and Unlock).
    package mutating func asked(_ path: String, locks: Bool) {
        guard var session = sessions[path] else { return }
        session.isLocked = locks
        if !locks { session.isHinted = false }
        sessions[path] = session
        settle(isPresent: !locks)
    }

    /// LockedHint has changed, so what locks the screen has said that it did or no longer does.
    package mutating func hinted(_ path: String, _ locked: Bool) {
        guard var session = sessions[path] else { return }
        session.isLocked = locked
        session.isHinted = locked
        sessions[path] = session
        settle(isPresent: !locked)
    }

    package mutating func ended(_ path: String) {
        sessions[path] = nil
        settle(isPresent: false)
    }

    private mutating func settle(isPresent: Bool) {
        if sessions.values.contains(where: { $0.isGraphical && !$0.isLocked }) {
            isLocked = false
        } else if sessions.values.contains(where: \.isLocked) {
            isLocked = true
        } else if isPresent {
            isLocked = false
        }
    }
}
