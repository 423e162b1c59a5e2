import Glibc
import SceneModel
import Testing

@testable import SessionCore

/// Thousands of callers that leave at once cost each the same, however many there are.
@Suite struct LeavingTests {
    /// What this thread works, in seconds, the least of three times.
    private func work(_ body: () -> Void) -> Double {
        (0..<3).map { _ in workOnce(body) }.min() ?? 0
    }

    private func workOnce(_ body: () -> Void) -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let began = now()
        body()
        return now() - began
    }

    /// That eight times as many cost about eight times as much, and not sixty-four times.
    private func expectProportion(
        _ cost: (Int) -> Double, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let (few, many) = (cost(1000), cost(8000))
        #expect(many < few * 24, "\(few) s for 1,000, \(many) s for 8,000", sourceLocation: sourceLocation)
    }

    /// What it costs the session to hear of all that, and to say each time when it wants to hear of the time.
    private func cost<Leaving>(_ stage: Stage, _ leaving: [Leaving], _ leave: (inout Session, Leaving) -> Void)
        -> Double
    {
        work {
            var session = stage.session
            for one in leaving {
                leave(&session, one)
                _ = session.nextDeadline
            }
        }
    }

    enum Order: CaseIterable, Sendable {
        case asTheyCame, newestFirst, presenterLast

        func sorted(_ calls: [CallID]) -> [CallID] {
            switch self {
            case .asTheyCame: calls
            case .newestFirst: calls.reversed()
            case .presenterLast: Array(calls.dropFirst() + calls.prefix(1))
            }
        }
    }

    @Test(arguments: Order.allCases) func callersForATokenLeave(order: Order) {
        expectProportion { count in
            let stage = Stage(accounts: 2)
            stage.suspend(seconds: 4000)
            let calls = (0..<count).map { stage.token("a\($0 % 2 + 1)") }
            #expect(stage.refreshes.count == 2)
            return cost(stage, order.sorted(calls)) { _ = $0.callAbandoned($1) }
        }
    }

    @Test(arguments: Order.allCases) func callersForALoginLeave(order: Order) {
        expectProportion { count in
            let stage = Stage()
            let calls = (0..<count).map { _ in stage.loginIfRequired() }
            stage.present()
            return cost(stage, order.sorted(calls)) { _ = $0.callAbandoned($1) }
        }
    }

    @Test(arguments: Order.allCases) func waitingScenesLeave(order: Order) {
        expectProportion { count in
            let stage = Stage()
            let scenes = (0..<count).map { "s\($0)" }
            for scene in scenes {
                _ = stage.connect(scene)
                stage.streams = [:]
            }
            for scene in scenes { stage.loginIfRequired(scene) }
            stage.present()
            let calls = scenes.compactMap { stage.session.scenes[$0]?.call }
            let names = Dictionary(uniqueKeysWithValues: zip(calls, scenes))
            return cost(stage, order.sorted(calls)) {
                _ = $0.sceneDisconnected($1, of: names[$1] ?? "")
                _ = $0.callAbandoned($1)
            }
        }
    }

    @Test func timeEndsForOneAfterTheOther() {
        expectProportion { count in
            let stage = Stage()
            var patient = LoginOptions()
            patient.timeoutSeconds = 500
            stage.loginIfRequired(nil, patient)
            for call in 0..<count {
                var options = LoginOptions()
                options.timeoutSeconds = 100
                stage.loginIfRequired(nil, options)
                stage.suspend(seconds: call.isMultiple(of: count / 50) ? 1 : 0)
            }
            stage.present()
            return work {
                var session = stage.session
                while session.waiters.count > 1, let due = session.nextDeadline {
                    var world = stage.world
                    world.now.boot = due
                    _ = session.timeReached(world: world)
                }
            }
        }
    }

    @Test func logoutsLeaveAndAreAnswered() {
        expectProportion { count in
            var waits = LogoutWaits()
            for number in 0..<count {
                waits.append(
                    LogoutWait(
                        caller: Caller(call: CallID(number)), answer: .one,
                        at: Cursor(epoch: "epoch", sequence: number),
                        deadline: Instant(nanoseconds: Int64(number)),
                        results: [LogoutWait.Result(revocation: "r\(number)", account: .test("a\(number)"))]))
            }
            return work {
                var waits = waits
                for number in 0..<count {
                    if number.isMultiple(of: 2) {
                        waits.remove(CallID(number))
                    } else {
                        #expect(waits.remoteKnown("r\(number)", .revoked)?.caller.call == CallID(number))
                    }
                    #expect(waits.deadline.map { $0 > Instant(nanoseconds: Int64(number)) } ?? (number == count - 1))
                }
            }
        }
    }

    /// Each that stays would be told of each that leaves.
    @Test func whoLeaveInOneTurnHaveOneSuccessor() {
        let stage = Stage()
        for scene in 1...9 { stage.connect("s\(scene)") }
        let calls = (1...9).map { stage.loginIfRequired("s\($0)") }
        stage.present()
        let told = stage.told[calls[8]]?.count ?? 0
        stage.inOneTurn {
            for call in calls.prefix(7) { stage.hangUp(call) }
            #expect(stage.told[calls[8]]?.count == told)
        }
        #expect(stage.told[calls[7]]?.last?.state == .presenting)
        #expect(stage.told[calls[8]]?.count == told + 1)
        #expect(stage.told[calls[8]]?.last?.presenter == "s8")
        stage.signIn()
        #expect(stage.progress(of: calls[8])?.state == .signedIn)
        stage.expectNoFaults()
    }
}
