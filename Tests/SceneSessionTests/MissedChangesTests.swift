import SceneModel
import Testing

@testable import SceneSession

@Suite struct MissedChangesTests {
    private func snapshot(_ accounts: [Account], current: Account?) -> Snapshot {
        var snapshot = Snapshot()
        snapshot.accounts = accounts
        snapshot.current = current
        return snapshot
    }

    @Test func tellsWhoIsGoneAndWhoIsCurrent() {
        let former = snapshot([Fixture.ada, Fixture.bob], current: Fixture.ada)
        let changes = snapshot([Fixture.bob], current: Fixture.bob).changes(since: former, at: Fixture.at(9))
        #expect(changes.map(\.kind) == [.loggedOut, .currentUserChanged])
        #expect(changes.allSatisfy { $0.at == Fixture.at(9) })
        #expect(changes.first?.account == Fixture.ada)
        #expect(changes.last?.previous == Fixture.ada)
        #expect(changes.last?.current == Fixture.bob)
    }

    /// The same user with another name or state is no other user.
    @Test func tellsNothingWhereNothingChanged() {
        var renamed = Fixture.ada
        renamed.displayName = "Ada L."
        renamed.state = .degraded
        let former = snapshot([Fixture.ada], current: Fixture.ada)
        #expect(snapshot([renamed, Fixture.bob], current: renamed).changes(since: former, at: Fixture.at(9)).isEmpty)
    }
}
