import Glibc
import SceneModel
import Testing

@testable import LinuxIO

@Suite(.timeLimit(.minutes(1))) struct LoopTimerTests {
    @Test func timersFireInOrderOfTheirDeadlines() throws {
        let loop = try EventLoop()
        let start = EventLoop.now.boot
        var fired: [Int] = []
        for milliseconds in [30, 10, 20, 10, 0, -5].enumerated().shuffled() {
            let deadline = start.advanced(byNanoseconds: Int64(milliseconds.element) * 1_000_000)
            loop.schedule(at: deadline) {
                #expect(EventLoop.now.boot >= deadline)
                fired.append(milliseconds.element)
                if fired.count == 6 { loop.stop() }
            }
        }
        run(loop)
        #expect(fired == [-5, 0, 10, 10, 20, 30])
    }

    @Test func timersOfOneDeadlineFireInTheOrderInWhichTheyWereSet() throws {
        let loop = try EventLoop()
        var fired: [Int] = []
        for number in 0..<100 { loop.schedule(at: Instant(nanoseconds: 7)) { fired.append(number) } }
        settle(loop)
        #expect(fired == Array(0..<100))
    }

    @Test(arguments: [Int64.min, -1, 0, 1]) func thePastIsNow(_ nanoseconds: Int64) throws {
        let loop = try EventLoop()
        loop.schedule(at: Instant(nanoseconds: nanoseconds)) { loop.stop() }
        run(loop)
    }

    @Test func neverIsNever() throws {
        let loop = try EventLoop()
        loop.schedule(at: Instant(nanoseconds: .max)) { Issue.record("fired") }
        settle(loop)
    }

    @Test func aCancelledTimerDoesNotFireEvenIfDueInTheSameTurn() throws {
        let loop = try EventLoop()
        var fired: [String] = []
        var timers: [LoopTimer] = []
        timers.append(
            loop.schedule(at: Instant(nanoseconds: 1)) {
                fired.append("first")
                timers[1].cancel()
                timers[0].cancel()
            })
        timers.append(loop.schedule(at: Instant(nanoseconds: 2)) { fired.append("second") })
        loop.schedule(at: Instant(nanoseconds: 3)) { fired.append("third") }
        settle(loop)
        #expect(fired == ["first", "third"])
    }

    @Test func aTimerThatSetsItselfForNowStarvesNobody() throws {
        let loop = try EventLoop()
        let (near, far) = try socketPair()
        var seen: Set<String> = []
        func again() {
            if seen.count < 2 { loop.schedule(at: Instant(nanoseconds: .min)) { again() } }
        }
        again()
        func note(_ what: String) {
            seen.insert(what)
            if seen.count == 2 { loop.stop() }
        }
        let watch = try loop.watch(near, .readable) { _ in note("socket") }
        loop.schedule(at: EventLoop.now.boot.advanced(byNanoseconds: 1_000_000)) { note("timer") }
        #expect(write(far, "x", 1) == 1)
        run(loop)
        watch.cancel()
        close(near)
        close(far)
    }

    @Test func anEarlierTimerSetLaterFiresFirst() throws {
        let loop = try EventLoop()
        var fired: [Int] = []
        let start = EventLoop.now.boot
        loop.schedule(at: start.advanced(byNanoseconds: 40_000_000)) {
            fired.append(2)
            loop.stop()
        }
        loop.schedule(at: Instant(nanoseconds: 0)) {
            loop.schedule(at: start.advanced(byNanoseconds: 10_000_000)) { fired.append(1) }
        }
        run(loop)
        #expect(fired == [1, 2])
    }

    @Test(arguments: 1...5) func theHeapKeepsOrderWhateverLeavesIt(_ seed: UInt64) throws {
        let loop = try EventLoop()
        var random = SplitMix(state: seed)
        var heap = TimerHeap()
        var model: [LoopTimer] = []
        for sequence in 0..<2000 {
            if model.isEmpty || random.next() % 3 != 0 {
                let deadline = Instant(nanoseconds: Int64(random.next() % 50))
                let timer = LoopTimer(loop: loop, deadline: deadline, sequence: UInt64(sequence)) {}
                heap.insert(timer)
                model.append(timer)
            } else {
                heap.remove(model.remove(at: Int(random.next() % UInt64(model.count))))
            }
            let earliest = model.min { ($0.deadline, $0.sequence) < ($1.deadline, $1.sequence) }
            #expect(heap.first === earliest)
        }
        model.sort { ($0.deadline, $0.sequence) < ($1.deadline, $1.sequence) }
        for timer in model {
            #expect(heap.first === timer)
            heap.remove(timer)
        }
        #expect(heap.first == nil)
    }
}

private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
