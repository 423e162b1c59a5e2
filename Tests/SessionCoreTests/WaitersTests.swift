import SceneModel
import Testing

@testable import SessionCore

@Suite struct WaitersTests {
    private func waiter(_ call: Int, scene: String? = nil, deadline: Int64 = 0) -> Waiter {
        Waiter(
            caller: Caller(call: CallID(call), scene: scene), wish: .login, options: LoginOptions(),
            deadline: Instant(nanoseconds: deadline))
    }

    private func calls(_ waiters: Waiters) -> [Int] { waiters.map(\.caller.call.number) }

    @Test func theyStayInTheirOrderWhoeverLeaves() {
        var waiters = Waiters()
        for call in 1...100 { waiters.append(waiter(call)) }
        for call in 1...100 where !call.isMultiple(of: 10) { waiters.remove(CallID(call)) }
        waiters.append(waiter(101))
        #expect(calls(waiters) == [10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 101])
        #expect(waiters.count == 11)
        for call in calls(waiters) { #expect(waiters[CallID(call)]?.caller.call.number == call) }
        #expect(waiters[CallID(1)] == nil)
    }

    @Test func aCallWaitsOnce() {
        var waiters = Waiters()
        for scene in ["a", "b"] { waiters.append(waiter(1, scene: scene)) }
        #expect(calls(waiters) == [1])
        #expect(!waiters.isWaiting(scene: "a") && waiters.isWaiting(scene: "b"))
    }

    @Test func aSceneWaitsUntilItsLastCallLeaves() {
        var waiters = Waiters()
        for call in 1...3 { waiters.append(waiter(call, scene: call < 3 ? "a" : "b")) }
        waiters.remove(CallID(1))
        waiters.remove(CallID(1))
        #expect(waiters.isWaiting(scene: "a") && waiters.isWaiting(scene: "b"))
        waiters.remove(CallID(2))
        #expect(!waiters.isWaiting(scene: "a") && waiters.isWaiting(scene: "b"))
    }

    @Test func whatIsChangedStays() {
        var waiters = Waiters()
        for call in 1...3 { waiters.append(waiter(call)) }
        waiters[CallID(2)]?.joinedEnding = true
        waiters[CallID(4)]?.joinedEnding = true
        #expect(waiters.map(\.joinedEnding) == [false, true, false])
        waiters[CallID(1)] = nil
        #expect(calls(waiters) == [2, 3])
    }

    @Test func noDeadlineIsLate() {
        var waiters = Waiters()
        for call in 1...3 { waiters.append(waiter(call, deadline: Int64(40 - 10 * call))) }
        #expect(waiters.deadline == Instant(nanoseconds: 10))
        waiters.remove(CallID(3))
        waiters.refreshDeadline()
        #expect(waiters.deadline == Instant(nanoseconds: 20))
        for call in 1...2 { waiters.remove(CallID(call)) }
        #expect(waiters.isEmpty && waiters.deadline == nil)
    }
}
