import SceneModel
import Testing

@Suite struct SnapshotChangeTests {
    private static let ada = Account(id: "a", username: "ada")
    private static let bob = Account(id: "b", username: "bob")

    private func event(_ kind: Event.Kind, _ change: (inout Event) -> Void = { _ in }) -> Event {
        var event = Event(kind)
        change(&event)
        return event
    }

    private func snapshot(
        accounts: [Account] = [ada, bob], current: Account? = ada, pending: Pending = .nothing
    ) -> Snapshot {
        var snapshot = Snapshot()
        (snapshot.accounts, snapshot.current, snapshot.pending) = (accounts, current, pending)
        return snapshot
    }

    @Test func aSnapshotReplacesAll() {
        var present = Snapshot()
        present.apply(event(.snapshot) { $0.snapshot = snapshot() })
        #expect(present == snapshot())
        present.apply(event(.snapshot))
        #expect(present == snapshot(), "one without its content changes nothing")
    }

    @Test func aSignInEndsTheWait() {
        var present = snapshot(accounts: [], current: nil, pending: .login)
        present.apply(event(.loginStarted) { $0.presenter = "w1" })
        #expect(present.loginUnderWay)
        #expect(present.presenter == "w1")
        present.apply(event(.loggedIn) { $0.account = Self.ada })
        present.apply(event(.currentUserChanged) { $0.current = Self.ada })
        present.apply(event(.loginEnded))
        #expect(present == snapshot(accounts: [Self.ada]))
    }

    @Test func aLogoutLeavesTheOthers() {
        var present = snapshot()
        present.apply(event(.loggedOut) { $0.account = Self.ada })
        present.apply(event(.currentUserChanged) { $0.previous = Self.ada })
        present.apply(event(.selectionRequired) { $0.accounts = [Self.bob] })
        #expect(present == snapshot(accounts: [Self.bob], current: nil, pending: .selection))
        present.apply(event(.currentUserChanged) { $0.current = Self.bob })
        #expect(present == snapshot(accounts: [Self.bob], current: Self.bob))
    }

    @Test func nobodyLeftWaitsForALogin() {
        var present = snapshot(accounts: [Self.ada])
        present.apply(event(.loggedOut) { $0.account = Self.ada })
        present.apply(event(.currentUserChanged) { $0.previous = Self.ada })
        present.apply(event(.loginRequired))
        #expect(present == snapshot(accounts: [], current: nil, pending: .login))
    }

    /// The login host has refused a grant: the current user's is the session's matter, another's is not.
    @Test(arguments: [(ada, Pending.login), (bob, .nothing)])
    func aRefusedGrant(of account: Account, leaves pending: Pending) {
        var refused = account
        refused.state = .loginRequired
        var present = snapshot()
        present.apply(event(.loginRequired) { $0.account = refused })
        #expect(present.pending == pending)
        #expect(present.accounts.first { $0.id == account.id }?.state == .loginRequired)
        #expect(present.current?.state == (account == Self.ada ? .loginRequired : .active))
        present.apply(event(.accountChanged) { $0.account = account })
        #expect(present == snapshot())
    }

    @Test func locksAndHosts() {
        var present = snapshot()
        present.apply(event(.locked))
        #expect(present.locked)
        present.apply(event(.unlocked))
        #expect(!present.locked)
        present.apply(event(.loginHostChanged) { $0.loginHost = "https://test.example.com" })
        #expect(present.loginHost == "https://test.example.com")
        present.apply(event(.loginHostChanged))
        #expect(present.loginHost == "https://test.example.com")
    }
}
