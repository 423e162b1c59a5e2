import SceneModel
import SessionCore
import Testing

@testable import SceneStore

@Suite(.timeLimit(.minutes(1))) struct RoundTripTests {
    let directory = TemporaryDirectory()

    /// What a new process finds.
    private func reloaded() throws -> [StoredSession] {
        let open = try OpenStore(directory)
        let sessions = try open.store.load()
        #expect(open.store.problems == [])
        return sessions
    }

    private func fullEvent(_ kind: Event.Kind, at place: Cursor) -> Event {
        var snapshot = Snapshot()
        snapshot.accounts = [.sample("account-1"), .sample("account-2")]
        snapshot.current = .sample()
        snapshot.pending = .selection
        snapshot.loginUnderWay = true
        snapshot.presenter = "scene-1"
        snapshot.loginHost = "https://login.example.com"
        snapshot.locked = true
        var event = Event(kind, at: place)
        event.scene = "scene-2"
        event.gap = true
        event.snapshot = snapshot
        event.previous = .sample("account-1")
        event.current = .sample("account-2")
        event.account = .sample("account-3")
        event.reason = "user"
        event.accounts = [.sample("account-4")]
        event.presenter = "scene-3"
        event.previousLoginHost = "https://a.example.com"
        event.loginHost = "https://b.example.com"
        event.request = "request-1"
        event.requestingApp = "Other"
        return event
    }

    @Test func aNewStoreIsEmpty() throws {
        #expect(try reloaded() == [])
    }

    @Test func everyFieldComesBack() throws {
        let places = Event.Kind.allCases.indices.map { Cursor(epoch: "epoch-1", sequence: $0 + 1) }
        let events = zip(Event.Kind.allCases, places).map { fullEvent($0, at: $1) }
        let record = SessionRecord(
            epoch: "epoch-1", sequence: events.count, current: "account-1", selectionPending: true, loginPending: true,
            locked: true, loginUnderWay: true, selectedLoginHost: "https://b.example.com",
            announcedLoginHost: "https://a.example.com")
        var degraded = AccountRecord.sample("account-2")
        degraded.account.state = .degraded
        let change = Change(
            key: .notes, session: record,
            operations: [
                .putAccount(.sample("account-1")), .putAccount(degraded), .putRevocation(.sample()),
                .putLoginHost(url: "https://b.example.com", label: "B"),
                .putLoginHost(url: "https://a.example.com", label: "A"),
            ], events: events)
        let open = try OpenStore(directory)
        #expect(open.commit(change).isSuccess)
        let expected = StoredSession(
            key: .notes, record: record, accounts: [.sample("account-1"), degraded],
            loginHosts: [
                LoginHost(url: "https://b.example.com", label: "B", origin: .user, selected: true, removable: true),
                LoginHost(url: "https://a.example.com", label: "A", origin: .user, removable: true),
            ], revocations: [.sample()], history: events)
        #expect(try open.store.load() == [expected])
        open.store.close()
        #expect(try reloaded() == [expected])
    }

    @Test func whatIsAbsentStaysAbsent() throws {
        let account = AccountRecord(
            account: Account(id: "bare"),
            grant: Grant(generation: 0, clientID: "", accessToken: Secret(""), tokenType: ""))
        let revocation = RevocationRecord(
            id: "bare", account: Account(), clientID: "", refreshToken: nil, accessToken: nil, reason: "", created: 0,
            nextAttempt: 0)
        let change = Change(
            key: .notes, session: SessionRecord(epoch: ""),
            operations: [.putAccount(account), .putRevocation(revocation)])
        try OpenStore(directory).commit(change)
        #expect(
            try reloaded() == [
                StoredSession(
                    key: .notes, record: SessionRecord(epoch: ""), accounts: [account], revocations: [revocation])
            ])
    }

    @Test(arguments: ["", "'; DROP TABLE sessions; --", "\u{1f511} \u{e9} \u{65}\u{301}", "\u{7f}\u{1}\n\t\"\\"])
    func textComesBackAsItWas(text: String) throws {
        let text = text + "\0" + text
        var record = AccountRecord.sample(text)
        record.account.displayName = text
        record.grant.scope = text
        record.claims = text
        let key = SessionKey(uid: .max, app: text)
        let change = Change(
            key: key, session: SessionRecord(epoch: text, current: text), operations: [.putAccount(record)])
        try OpenStore(directory).commit(change)
        let session = try #require(try reloaded().first)
        #expect(session.key == key)
        #expect(session.record == change.session)
        #expect(session.accounts == [record])
    }

    @Test(arguments: [-1 << 62, -1, 0, 1 << 62])
    func numbersComeBackAsTheyWere(number: Int) throws {
        var record = AccountRecord.sample(generation: number)
        record.grant.lifetime = Lifetime(
            obtained: Moment(boot: Instant(nanoseconds: Int64(number)), wall: number), seconds: number, bootID: "")
        var revocation = RevocationRecord.sample()
        revocation.attempts = number
        revocation.nextAttempt = number
        let change = Change.sample(number...number, [.putAccount(record), .putRevocation(revocation)])
        #expect(try OpenStore(directory).commit(change).isSuccess)
        let session = try #require(try reloaded().first)
        #expect(session.accounts == [record])
        #expect(session.revocations == [revocation])
        #expect(session.history == change.events)
    }

    @Test func secretsOfAnySizeComeBack() throws {
        var record = AccountRecord.sample()
        record.grant.accessToken = Secret([UInt8](repeating: 0xff, count: 300_000))
        record.grant.refreshToken = Secret(Array(0...255))
        record.grant.idToken = Secret("")
        try OpenStore(directory).commit(.sample(1, .putAccount(record)))
        #expect(try reloaded().first?.accounts == [record])
    }

    @Test func laterChangesReplaceAndRemove() throws {
        let open = try OpenStore(directory)
        open.commit(
            .sample(
                1, .putAccount(.sample("a")), .putAccount(.sample("b")), .putAccount(.sample("c")),
                .putRevocation(.sample("r")), .putRevocation(.sample("s")),
                .putLoginHost(url: "https://a.example.com", label: "A"),
                .putLoginHost(url: "https://b.example.com", label: "B")))
        var later = AccountRecord.sample("a", generation: 2)
        later.grant.idToken = nil
        later.grant.lifetime = nil
        later.claims = nil
        var tried = RevocationRecord.sample("s")
        tried.accessToken = nil
        tried.attempts += 1
        open.commit(
            .sample(
                2, .putAccount(later), .removeAccount(id: "b"), .removeAccount(id: "unknown"),
                .removeRevocation(id: "r"),
                .putRevocation(tried), .removeLoginHost(url: "https://a.example.com"),
                .putLoginHost(url: "https://b.example.com", label: "B again")))
        open.store.close()
        let session = try #require(try reloaded().first)
        #expect(session.accounts == [later, .sample("c")])
        #expect(session.revocations == [tried])
        #expect(session.loginHosts.map(\.label) == ["B again"])
        #expect(session.history.map(\.at.sequence) == [1, 2])
    }

    @Test func whatCameOfALogoutIsKeptAsLongAsItsEvent() throws {
        let open = try OpenStore(directory)
        open.commit(.sample(1...2))
        open.commit(.sample(3, .putLogoutRemote(sequence: 1, .unsupported), .putLogoutRemote(sequence: 2, .queued)))
        #expect(try open.store.load().first?.logoutRemotes == [1: .unsupported, 2: .queued])
        open.commit(.sample(4...(historyLimit + 1)))
        #expect(try open.store.load().first?.logoutRemotes == [2: .queued])
        open.commit(.sample(historyLimit + 2, .putLogoutRemote(sequence: 1, .unsupported)))
        #expect(try open.store.load().first?.logoutRemotes == [:])
    }

    @Test func aDatabaseOfTheFirstVersionIsTakenUp() throws {
        let open = try OpenStore(directory)
        var change = Change.sample(1...2, [.putAccount(.sample())])
        change.events[1].kind = .loginStarted
        change.session.loginUnderWay = true
        open.commit(change)
        try open.execute("ALTER TABLE history DROP COLUMN remote")
        try open.execute("ALTER TABLE sessions DROP COLUMN login_under_way")
        try open.execute("ALTER TABLE sessions DROP COLUMN announced_login_host")
        try open.execute("PRAGMA user_version = 1")
        open.store.close()
        let later = try OpenStore(directory)
        // Only the history told it then.
        #expect(try later.store.load().first?.record.loginUnderWay == true)
        later.commit(.sample(3, .putLogoutRemote(sequence: 2, .unsupported)))
        let session = try #require(try later.store.load().first)
        #expect(session.history.map(\.at.sequence) == [1, 2, 3])
        #expect(session.accounts == [.sample()])
        #expect(session.logoutRemotes == [2: .unsupported])
    }

    @Test func sessionsAreApart() throws {
        let open = try OpenStore(directory)
        let keys = [
            SessionKey(uid: 0, app: "Notes"), SessionKey(uid: 1000, app: "Mail"), SessionKey(uid: 1000, app: "Notes"),
            SessionKey(uid: .max, app: "Notes"),
        ]
        open.commit(keys.map { .sample(1...2, key: $0, [.putAccount(.sample("same"))]) })
        open.commit(.sample(3...3, key: keys[2], [.removeAccount(id: "same")]))
        let sessions = try open.store.load()
        #expect(sessions.map(\.key) == keys)
        #expect(sessions.map(\.accounts.count) == [1, 1, 0, 1])
        #expect(sessions.map(\.history.count) == [2, 2, 3, 2])
    }
}
