import Glibc
import SceneModel
import Testing

@testable import LinuxIO

@Suite(.timeLimit(.minutes(1))) struct WatchTests {
    /// Two descriptors are ready in one batch; whichever comes first closes the other and gives its number to a new,
    /// silent socket. The event of the old one must reach neither.
    @Test func anEventOfAClosedDescriptorDoesNotReachItsSuccessor() throws {
        let loop = try EventLoop()
        let pairs = [try socketPair(), try socketPair()]
        let (silent, silentFar) = try socketPair()
        var watches: [Watch] = []
        var calls = 0
        var successorCalls = 0
        for (index, pair) in pairs.enumerated() {
            watches.append(
                try loop.watch(pair.0, .readable) { _ in
                    calls += 1
                    let other = 1 - index
                    watches[other].cancel()
                    #expect(dup2(silent, pairs[other].0) >= 0)
                    _ = try? loop.watch(pairs[other].0, .readable) { _ in successorCalls += 1 }
                    watches[index].cancel()
                })
        }
        for pair in pairs { #expect(write(pair.1, "x", 1) == 1) }
        settle(loop)
        #expect(calls == 1)
        #expect(successorCalls == 0)
        #expect(write(silentFar, "x", 1) == 1)
        settle(loop)
        #expect(successorCalls > 0)
        for descriptor in pairs.flatMap({ [$0.0, $0.1] }) + [silent, silentFar] { close(descriptor) }
    }

    @Test func aDescriptorClosedWithoutCancelCanBeWatchedAnew() throws {
        let loop = try EventLoop()
        let first = try socketPair()
        var stale = 0
        let forgotten = try loop.watch(first.0, .readable) { _ in stale += 1 }
        let second = try socketPair()
        #expect(dup2(second.0, first.0) >= 0)
        var fresh = 0
        let watch = try loop.watch(first.0, .readable) { _ in fresh += 1 }
        forgotten.update(.writable)
        forgotten.cancel()
        #expect(write(second.1, "x", 1) == 1)
        settle(loop)
        #expect(stale == 0 && fresh > 0)
        watch.cancel()
        for descriptor in [first.0, first.1, second.0, second.1] { close(descriptor) }
    }

    @Test func interestIsChangedAndHangupIsAlwaysTold() throws {
        let loop = try EventLoop()
        let (near, far) = try socketPair()
        var seen: [Readiness] = []
        let watch = try loop.watch(near, []) { seen.append($0) }
        #expect(write(far, "x", 1) == 1)
        settle(loop)
        #expect(seen.isEmpty)
        watch.update(.writable)
        settle(loop)
        #expect(!seen.isEmpty && seen.allSatisfy { $0 == .writable })
        watch.update([])
        close(far)
        seen = []
        settle(loop)
        #expect(!seen.isEmpty && seen.allSatisfy { $0 == .hangup })
        watch.cancel()
        close(near)
    }

    @Test func whatCannotBeWatchedIsAnError() throws {
        let loop = try EventLoop()
        #expect(throws: SystemError(code: EBADF, call: "epoll_ctl")) { try loop.watch(-1, .readable) { _ in } }
        let (near, far) = try socketPair()
        let watch = try loop.watch(near, .readable) { _ in }
        #expect(throws: SystemError(code: EEXIST, call: "epoll_ctl")) { try loop.watch(near, .readable) { _ in } }
        watch.cancel()
        close(near)
        close(far)
    }
}
