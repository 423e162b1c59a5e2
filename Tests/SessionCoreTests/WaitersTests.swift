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
        #expect(waiters.of(scene: "a").isEmpty && waiters.of(scene: "b").count == 1)
    }

    @Test func aSceneWaitsUntilItsLastCallLeaves() {
        var waiters = Waiters()
        for call in 1...3 { waiters.append(waiter(call, scene: call < 3 ? "a" : "b")) }
        waiters.remove(CallID(1))
        waiters.remove(CallID(1))
        #expect(waiters.of(scene: "a").map(\.caller.call.number) == [2] && waiters.of(scene: "b").count == 1)
        waiters.remove(CallID(2))
        #expect(waiters.of(scene: "a").isEmpty && waiters.of(scene: "b").count == 1)
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
        for call in 1...9 { waiters.append(waiter(call, deadline: Int64(call * 7 % 10) * 10)) }
        #expect(waiters.deadline == Instant(nanoseconds: 10))
        waiters.remove(CallID(3))
        #expect(waiters.deadline == Instant(nanoseconds: 20))
        #expect(waiters.takeLate(Instant(nanoseconds: 40)).map(\.caller.call.number) == [6, 9, 2])
        #expect(calls(waiters) == [1, 4, 5, 7, 8] && waiters.deadline == Instant(nanoseconds: 50))
        for call in calls(waiters) { waiters.remove(CallID(call)) }
        #expect(waiters.isEmpty && waiters.deadline == nil)
    }
}
