import SceneModel
import SceneSystem
import Testing

@testable import SceneDaemon
@testable import SessionCore

@Suite struct AuditTests {
    private let key = SessionKey(uid: 1000, app: "notes")

    private func entry(_ kind: AuditEntry.Kind) -> JournalEntry {
        let account = Account(
            id: "a1", issuer: "https://login.example.com", subject: "sub", loginHost: "https://login.example.com",
            username: "ann", email: "ann@example.com")
        return AuditEntry(kind: kind, account: account, scene: "window", pid: 42, reason: "because")
            .journalEntry(of: key)
    }

    @Test func eachKindHasAnIdentifierOfItsOwn() {
        let own = [
            MessageID.started, MessageID.stopping, MessageID.reloaded, MessageID.configurationProblem,
            MessageID.storageUnavailable, MessageID.storageProblem, MessageID.loginHostUnavailable,
            MessageID.loginFailed, MessageID.accessDenied, MessageID.appNotStarted,
        ]
        let all = own + AuditEntry.Kind.allCases.map { entry($0).messageID ?? "" }
        #expect(Set(all).count == all.count)
        #expect(all.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) })
    }

    @Test(arguments: AuditEntry.Kind.allCases) func whoWhatAndThroughWhichScene(kind: AuditEntry.Kind) {
        let entry = entry(kind)
        let fields = Dictionary(entry.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        #expect(fields["SCENED_EVENT"] == kind.rawValue)
        #expect(fields["SCENED_APP"] == "notes")
        #expect(fields["SCENED_UID"] == "1000")
        #expect(fields["SCENED_ACCOUNT"] == "a1")
        #expect(fields["SCENED_ISSUER"] == "https://login.example.com")
        #expect(fields["SCENED_SUBJECT"] == "sub")
        #expect(fields["SCENED_SCENE"] == "window")
        #expect(fields["SCENED_PEER_PID"] == "42")
        #expect(fields["SCENED_REASON"] == "because")
        #expect(fields.count == entry.fields.count)
        #expect(entry.message.contains("ann"))
        #expect(entry.message.contains("window"))
        #expect(entry.priority <= .info)
    }

    @Test func whatIsNotKnownIsLeftOut() {
        let entry = AuditEntry(kind: .loginEnded, account: nil, scene: nil, pid: nil, reason: nil)
            .journalEntry(of: key)
        #expect(entry.fields.map(\.name) == ["SCENED_EVENT", "SCENED_APP", "SCENED_UID"])
        #expect(entry.message == "A login ended (app notes, uid 1000).")
    }

    @Test func noSecretIsEverInOne() {
        // Whatever a login host hands over passes through a session; what it tells the journal has none of it.
        let secrets = ["access-secret", "refresh-secret", "id-secret"]
        let grant = Grant(
            generation: 1, clientID: "scene", accessToken: Secret(secrets[0]), tokenType: "Bearer",
            refreshToken: Secret(secrets[1]), idToken: Secret(secrets[2]))
        let account = Account(id: "a1", issuer: "https://i", subject: "s", loginHost: "https://i")
        var session = Session(
            StoredSession(
                key: key, record: SessionRecord(epoch: "e", current: "a1"),
                accounts: [AccountRecord(account: account, grant: grant)]),
            policy: Daemon.vanished("notes"))
        let world = World(
            now: Moment(boot: Instant(nanoseconds: 0), wall: 0), bootID: "b", newIdentifier: { "id" }, random: { 0 })
        let caller = Caller(call: CallID(1))
        var actions = session.logoutRequested(caller, account: nil, reason: nil, world: world)
        actions += session.changeCommitted(world: world)
        actions += session.revocationEnded("id", .revoked, world: world)
        let entries = actions.compactMap { action -> JournalEntry? in
            if case .audit(let entry) = action { entry.journalEntry(of: key) } else { nil }
        }
        #expect(entries.count == 2)
        for entry in entries {
            let text = "\(entry)"
            #expect(secrets.allSatisfy { !text.contains($0) })
        }
    }

    @Test func aFaultInAFileHasItsPlace() {
        let problem = Problem(file: "/etc/scened/apps.d/a.conf", line: 3, text: "no", severity: .error)
        let fields = Dictionary(problem.entry.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        #expect(fields == ["SCENED_FILE": "/etc/scened/apps.d/a.conf", "SCENED_LINE": "3"])
        #expect(problem.entry.priority == .error)
        #expect(problem.entry.message == "/etc/scened/apps.d/a.conf:3: no")
    }
}
