import Glibc
import Testing

@testable import SceneSystem

/// What systemd tells by environment variables. Each in a process of its own: the environment belongs to all threads.
@Suite(.timeLimit(.minutes(1))) struct EnvironmentTests {
    @Test func systemdIsToldHowTheServiceStands() async {
        await #expect(processExitsWith: .success) {
            let manager = try FakeManager()
            ServiceManager.ready(status: "2 scenes\nMAINPID=1")
            #expect(manager.receive() == "READY=1\nSTATUS=2 scenes")
            ServiceManager.status("3 scenes")
            #expect(manager.receive() == "STATUS=3 scenes")
            ServiceManager.watchdog()
            #expect(manager.receive() == "WATCHDOG=1")
            ServiceManager.stopping()
            #expect(manager.receive() == "STOPPING=1")
            ServiceManager.reloading()
            let reloading = manager.receive().split(separator: "\n")
            #expect(reloading.first == "RELOADING=1")
            let time = try #require(reloading.last?.split(separator: "=").last.flatMap { Int($0) })
            #expect(time > 0)
        }
    }

    /// More than its socket holds and the outbox keeps.
    @Test func aServiceManagerThatReadsNothingHoldsNobody() async {
        await #expect(processExitsWith: .success) {
            let manager = try FakeManager()
            for number in 0..<10_000 { ServiceManager.status("\(number)") }
            withExtendedLifetime(manager) {}
        }
    }

    @Test func withoutSystemdNothingHappens() async {
        await #expect(processExitsWith: .success) {
            unsetenv("NOTIFY_SOCKET")
            unsetenv("WATCHDOG_USEC")
            unsetenv("LISTEN_FDS")
            ServiceManager.ready(status: "alone")
            #expect(ServiceManager.watchdogInterval == nil)
            #expect(PassedDescriptors.take().isEmpty)
        }
    }

    @Test func theWatchdogsIntervalIsRead() async {
        await #expect(processExitsWith: .success) {
            unsetenv("WATCHDOG_PID")
            for (text, interval) in [
                ("30000000", 30_000_000_000), ("18446744073709551614", Int.max), ("0", nil), ("x", nil),
            ] {
                setenv("WATCHDOG_USEC", text, 1)
                #expect(ServiceManager.watchdogInterval == interval)
            }
            setenv("WATCHDOG_USEC", "30000000", 1)
            setenv("WATCHDOG_PID", "1", 1)
            #expect(ServiceManager.watchdogInterval == nil)
        }
    }

    @Test func passedDescriptorsAreTakenOnceWithTheirNames() async {
        await #expect(processExitsWith: .success) {
            for descriptor in [3, 4] as [Int32] where fcntl(descriptor, F_GETFD) < 0 {
                #expect(dup2(0, descriptor) >= 0)
            }
            #expect(fcntl(4, F_SETFD, 0) == 0)
            setenv("LISTEN_PID", "\(getpid())", 1)
            setenv("LISTEN_FDS", "2", 1)
            setenv("LISTEN_FDNAMES", "session:scene", 1)
            let taken = PassedDescriptors.take()
            #expect(taken.map(\.name) == ["session", "scene"])
            #expect(taken.map(\.descriptor) == [3, 4])
            #expect(fcntl(4, F_GETFD) & FD_CLOEXEC != 0)
            #expect(getenv("LISTEN_FDS") == nil && getenv("LISTEN_FDNAMES") == nil)
            #expect(PassedDescriptors.take().isEmpty)
        }
    }

    @Test func descriptorsForAnotherProcessAreNotTaken() async {
        await #expect(processExitsWith: .success) {
            setenv("LISTEN_PID", "1", 1)
            setenv("LISTEN_FDS", "1", 1)
            #expect(PassedDescriptors.take().isEmpty)
        }
    }
}

/// Listens where NOTIFY_SOCKET says.
private final class FakeManager {
    private let socket: Int32
    private let path: String

    init() throws {
        path = "/tmp/scenesystem.\(getpid())"
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
        setenv("NOTIFY_SOCKET", path, 1)
    }

    /// A message is there when the call that sent it has returned.
    func receive() -> String {
        Outbox.serviceManager.flush(seconds: 30)
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(socket, &buffer, buffer.count, 0)
        return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    }

    deinit {
        close(socket)
        unlink(path)
    }
}
