import Glibc
import SceneModel
import Testing

@testable import LinuxIO

@Suite(.timeLimit(.minutes(1))) struct PeerTests {
    @Test func aPeerIsWhoConnected() throws {
        let (near, far) = try socketPair()
        let peer = try Peer(socket: near)
        #expect(peer.uid == getuid() && peer.gid == getgid() && peer.pid == getpid())
        #expect(peer.startTime == Peer.startTime(of: getpid()) && peer.startTime > 0)
        let flags = peer.withProcess { fcntl($0, F_GETFD) }
        #expect(flags & FD_CLOEXEC != 0 && peer.isRunning)
        peer.detach()
        close(near)
        close(far)
        #expect(peer.isRunning)
    }

    @Test func onceDetachedNoOtherSocketIsAsked() throws {
        let (near, far) = try socketPair()
        let peer = try Peer(socket: near)
        peer.detach()
        close(near)
        close(far)
        // Where the kernel cannot be asked later, it was asked at once.
        #expect((peer.startTime == 0) == !peer.isRunning)
        #expect(peer.pid == getpid())
    }

    @Test func noDescriptorIsKept() throws {
        let (near, far) = try socketPair()
        let peer = try Peer(socket: near)
        let (pidfd, isPeers) = peer.withProcess { ($0, isPidfd($0)) }
        #expect(isPeers && peer.startTime > 0)
        let isStillPeers = isPidfd(pidfd)
        #expect(!isStillPeers)
        close(near)
        close(far)
    }

    @Test(arguments: [
        ("7 (a) b) (c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20", 4711 as UInt64),
        ("7 () S", 0), ("", 0), ("garbage", 0), (")", 0),
        ("7 (x) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 x", 0),
        ("7 (x) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 99999999999999999999", 0),
    ])
    func startTimesAreReadFromBehindTheName(_ text: String, _ expected: UInt64) {
        #expect(Peer.startTime(inStat: text.utf8) == expected)
    }

    /// Where the kernel does not keep peers, a process that came after the connection is not believed to be its peer.
    @Test func aPidIsBelievedOnlyIfItsProcessIsOldEnough() throws {
        let child = try spawnSleep()
        #expect(Peer.startTime(of: child, startedBefore: EventLoop.now.boot) == Peer.startTime(of: child))
        #expect(Peer.startTime(of: child) > 0)
        #expect(Peer.startTime(of: child, startedBefore: Instant(nanoseconds: 1)) == 0)
        kill(child, SIGKILL)
        var status: Int32 = 0
        #expect(waitpid(child, &status, 0) == child)
        #expect(Peer.startTime(of: child, startedBefore: EventLoop.now.boot) == 0)
        #expect(Peer.startTime(of: 0, startedBefore: EventLoop.now.boot) == 0)
    }

    private func spawnSleep() throws -> pid_t {
        var pid: pid_t = 0
        let arguments: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("60"), nil]
        defer { for argument in arguments { free(argument) } }
        try #require(posix_spawn(&pid, "/bin/sleep", nil, nil, arguments, environ) == 0)
        return pid
    }

    /// Whether the descriptor is a pidfd of this process; another thread may have reused the number for something else.
    private func isPidfd(_ descriptor: Int32) -> Bool {
        withSmallFile("/proc/self/fdinfo/\(descriptor)") { String(decoding: $0, as: UTF8.self) }
            .contains("Pid:\t\(getpid())\n")
    }
}
