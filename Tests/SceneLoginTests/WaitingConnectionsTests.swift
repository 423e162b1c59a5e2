import Testing

@testable import SceneLogin

struct WaitingConnectionsTests {
    @Test func oldestGivesWay() {
        var waiting = WaitingConnections<Int>(capacity: 3, strangerCapacity: 2)
        for id in 1...3 { #expect(waiting.opened(id, isStranger: false) == nil) }
        #expect(waiting.opened(4, isStranger: false) == 1)
        waiting.left(2)
        #expect(waiting.opened(5, isStranger: false) == nil)
        #expect(waiting.opened(6, isStranger: false) == 3)
        #expect(waiting.all == [4, 5, 6])
    }

    @Test func strangersPushOutStrangersOnly() {
        var waiting = WaitingConnections<Int>(capacity: 6, strangerCapacity: 2)
        #expect(waiting.opened(1, isStranger: false) == nil)
        #expect(waiting.opened(2, isStranger: true) == nil)
        #expect(waiting.opened(3, isStranger: true) == nil)
        for id in 4..<100 { #expect(waiting.opened(id, isStranger: true) == id - 2) }
        #expect(waiting.all == [1, 98, 99])
    }

    @Test func leavingTwiceIsNothing() {
        var waiting = WaitingConnections<Int>(capacity: 1, strangerCapacity: 1)
        #expect(waiting.opened(1, isStranger: false) == nil)
        #expect(waiting.opened(2, isStranger: false) == 1)
        waiting.left(1)
        #expect(waiting.all == [2])
    }
}
