import SceneModel
import Testing

@testable import SessionCore

@Suite struct RevocationsTests {
    private let stage = Stage(accounts: 1)

    private func signOut() -> String {
        stage.logout("a1")
        return stage.revocations.last?.record.id ?? ""
    }

    private func end(_ id: String, _ outcome: RevocationOutcome) {
        guard let index = stage.revocations.firstIndex(where: { $0.record.id == id }) else {
            Issue.record("the login host is not being told")
            return
        }
        _ = stage.finishRevocation(index)
        stage.happens { $0.revocationEnded(id, outcome, world: $1) }
    }

    @Test(arguments: [RevocationOutcome.revoked, .unsupported])
    func whatIsDoneIsErased(outcome: RevocationOutcome) {
        end(signOut(), outcome)
        #expect(stage.ledger.revocations.isEmpty)
        #expect(stage.audits.last?.kind == (outcome == .revoked ? .tokensRevoked : .revocationAbandoned))
        stage.wait(seconds: 10_000)
        #expect(stage.revocations.isEmpty)
        stage.expectNoFaults()
    }

    @Test func whatCannotBeToldIsTriedAgainLater() {
        let id = signOut()
        end(id, .unavailable(retryAfterSeconds: nil))
        #expect(stage.ledger.revocations.first?.attempts == 1)
        // Jitter takes a quarter off the 10 s of the first attempt.
        stage.wait(seconds: 6)
        #expect(stage.revocations.isEmpty)
        stage.wait(seconds: 2)
        #expect(stage.revocations.count == 1)
        end(id, .unavailable(retryAfterSeconds: 500))
        stage.wait(seconds: 499)
        #expect(stage.revocations.isEmpty)
        stage.wait(seconds: 2)
        end(id, .revoked)
        #expect(stage.ledger.revocations.isEmpty)
        stage.expectNoFaults()
    }

    /// One tells how the host is for all that wait for it; another host's go their own way.
    @Test func aHostInTroubleIsNotAskedForEach() {
        func record(_ id: String, _ host: String) -> RevocationRecord {
            var account = Account.test(id)
            account.loginHost = host
            return RevocationRecord(
                id: id, account: account, clientID: "scene", refreshToken: Secret(id), accessToken: nil,
                reason: "signedOut", created: 1_800_000_000, nextAttempt: 0)
        }
        let stage = Stage(
            StoredSession(
                key: .test, record: SessionRecord(epoch: "epoch"),
                revocations: (0..<50).map { record("down-\($0)", "https://down") } + [record("up", "https://up")]),
            policy: .test())
        stage.happens { $0.restarted(world: $1) }
        #expect(stage.revocations.map(\.record.id) == ["down-0", "up"])
        _ = stage.finishRevocation(1)
        stage.happens { $0.revocationEnded("up", .revoked, world: $1) }
        var asked = 0
        for _ in 0..<10 {
            asked += stage.revocations.count
            guard stage.revocations.count == 1 else { break }
            let id = stage.finishRevocation(0).id
            stage.happens { $0.revocationEnded(id, .unavailable(retryAfterSeconds: 4000), world: $1) }
            stage.wait(seconds: 3999)
            #expect(stage.revocations.isEmpty)
            stage.wait(seconds: 2)
        }
        #expect(asked == 10)
        // It answers again: all follow, one by one.
        while !stage.revocations.isEmpty {
            #expect(stage.revocations.count == 1)
            let id = stage.finishRevocation(0).id
            stage.happens { $0.revocationEnded(id, .revoked, world: $1) }
            stage.wait(seconds: 0)
        }
        #expect(stage.ledger.revocations.isEmpty)
        #expect(stage.session.nextDeadline == nil)
        stage.expectNoFaults()
    }

    @Test func attemptsGrowApartToAnHour() {
        let session = stage.session
        stage.random = 1
        let waits = (0..<40).map {
            session.backoff($0, first: 10, longest: 3600, atLeast: nil, stage.world)
        }
        #expect(waits.prefix(4) == [10, 20, 40, 80])
        #expect(waits.last == 3600)
        #expect(session.backoff(.max, first: 10, longest: 3600, atLeast: .max, stage.world) == 86_400)
        #expect(session.backoff(0, first: 10, longest: 3600, atLeast: -5, stage.world) == 10)
        stage.random = 0
        #expect(session.backoff(0, first: 1, longest: 3600, atLeast: nil, stage.world) == 1)
    }

    @Test func afterThirtyDaysItIsGivenUp() {
        let created = stage.now.wall
        let id = signOut()
        var attempts = 0
        while stage.now.wall < created + Bounds.revocationLife {
            #expect(stage.ledger.revocations.count == 1)
            end(id, .unavailable(retryAfterSeconds: nil))
            stage.wait(seconds: 3600)
            attempts += 1
        }
        #expect(attempts >= 30 * 24)
        end(id, .unavailable(retryAfterSeconds: nil))
        #expect(stage.ledger.revocations.isEmpty)
        #expect(stage.audits.last?.kind == .revocationAbandoned)
    }

    /// As where the machine has no clock of its own, and begins in 1970: it was not tried for 30 days.
    @Test func aClockThatIsSetGivesNothingUp() {
        let id = signOut()
        stage.stepClock(bySeconds: 1_000_000_000)
        for _ in 0..<Bounds.leastRevocationAttempts {
            end(id, .unavailable(retryAfterSeconds: nil))
            #expect(stage.ledger.revocations.count == 1)
            stage.wait(seconds: 3600)
        }
        end(id, .unavailable(retryAfterSeconds: nil))
        #expect(stage.ledger.revocations.isEmpty)
    }

    @Test func aRestartTakesThemUp() {
        let id = signOut()
        stage.crash()
        #expect(stage.revocations.map(\.record.id) == [id])
        end(id, .unavailable(retryAfterSeconds: 100))
        stage.crash(reboots: true)
        #expect(stage.revocations.isEmpty)
        stage.wait(seconds: 101)
        #expect(stage.revocations.count == 1)
        stage.expectNoFaults()
    }

    @Test func aClockSetBackDelaysThemAnHourAtMost() {
        let id = signOut()
        end(id, .unavailable(retryAfterSeconds: nil))
        stage.stepClock(bySeconds: -1_000_000_000)
        stage.crash(reboots: true)
        stage.wait(seconds: 3601)
        #expect(stage.revocations.count == 1)
    }

    @Test(arguments: [Int.max, .min, 0])
    func absurdTimesAreHarmless(time: Int) {
        let record = RevocationRecord(
            id: "r", account: .test("a"), clientID: "scene", refreshToken: nil, accessToken: nil, reason: "signedOut",
            attempts: time, created: time, nextAttempt: time)
        let stage = Stage(
            StoredSession(key: .test, record: SessionRecord(epoch: "epoch"), revocations: [record]), policy: .test())
        stage.happens { $0.restarted(world: $1) }
        stage.wait(seconds: 3601)
        #expect(stage.revocations.count == 1)
        stage.happens { $0.revocationEnded("r", .unavailable(retryAfterSeconds: nil), world: $1) }
    }

    @Test func anEntryThatCannotBeErasedIsErasedLater() {
        let id = signOut()
        stage.disk = .full
        end(id, .revoked)
        #expect(stage.session.revocations.count == 1)
        stage.disk = .works
        stage.wait(seconds: 11)
        end(id, .revoked)
        #expect(stage.ledger.revocations.isEmpty)
        #expect(stage.session.nextDeadline == nil)
        stage.expectNoFaults()
    }

    @Test func aPostponementThatCannotBeStoredHoldsAllTheSame() {
        let id = signOut()
        stage.disk = .full
        end(id, .unavailable(retryAfterSeconds: 60))
        stage.wait(seconds: 59)
        #expect(stage.revocations.isEmpty)
        stage.wait(seconds: 2)
        #expect(stage.revocations.map(\.record.id) == [id])
        stage.expectNoFaults()
    }

    @Test func oneIsNotToldTwiceAtATime() {
        let id = signOut()
        stage.happens { $0.retryRevocations(world: $1) }
        stage.disk = .held
        end(id, .revoked)
        stage.happens { $0.timeReached(world: $1) }
        #expect(stage.revocations.isEmpty)
        stage.disk = .works
        stage.disk(works: true)
        #expect(stage.session.revocations.isEmpty)
        stage.expectNoFaults()
    }

    @Test func newsOfAnUnknownOneAreNone() {
        stage.happens { $0.revocationEnded("x", .revoked, world: $1) }
        stage.happens { $0.revocationEnded("x", .unavailable(retryAfterSeconds: 1), world: $1) }
        #expect(stage.session.nextDeadline == nil)
        stage.expectNoFaults()
    }
}
