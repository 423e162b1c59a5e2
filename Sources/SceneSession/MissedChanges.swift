import SceneModel

extension Snapshot {
    /// What must have happened between an earlier snapshot and this one, where history itself was lost: who was signed
    /// out, and whether the current user is another.
    func changes(since former: Snapshot, at cursor: Cursor) -> [Event] {
        let present = Set(accounts.map(\.id))
        var changes = former.accounts.filter { !present.contains($0.id) }.map { account in
            var event = Event(.loggedOut, at: cursor)
            event.account = account
            return event
        }
        if former.current?.id != current?.id {
            var event = Event(.currentUserChanged, at: cursor)
            event.previous = former.current
            event.current = current
            changes.append(event)
        }
        return changes
    }
}
