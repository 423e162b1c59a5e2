import CLinux
import Glibc
import Testing

@testable import SceneSystem

@Suite struct UnitsTests {
    @Test func whatHasEndedHasNoUnit() throws {
        var pid: pid_t = 0
        let arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
        defer { free(arguments[0]) }
        try #require(posix_spawn(&pid, "/bin/true", nil, nil, arguments, environ) == 0)
        let pidfd = clinux_pidfd_open(pid)
        try #require(pidfd >= 0)
        var status: Int32 = 0
        #expect(waitpid(pid, &status, 0) == pid)
        let unit = Units.unit(of: pid, pidfd: pidfd)
        #expect(unit.system == nil && unit.user == nil)
        close(pidfd)
    }

    @Test(arguments: [(0, 0), (-1, 0), (Int32.max, -1)] as [(Int32, Int32)]) func noProcessHasNoUnit(
        _ pid: Int32, _ pidfd: Int32
    ) {
        let unit = Units.unit(of: pid, pidfd: pidfd)
        #expect(unit.system == nil && unit.user == nil)
    }

    /// Agrees with the control group that the kernel shows.
    @Test func ownUnitIsThatOfTheControlGroup() throws {
        let pidfd = clinux_pidfd_open(getpid())
        try #require(pidfd >= 0)
        defer { close(pidfd) }
        let unit = Units.unit(of: getpid(), pidfd: pidfd)
        let file = try #require(fopen("/proc/self/cgroup", "r"))
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = fread(&buffer, 1, buffer.count, file)
        let group = String(decoding: buffer.prefix(count), as: UTF8.self)
        if let system = unit.system { #expect(group.contains(system)) }
        if let user = unit.user { #expect(group.contains(user)) }
    }
}
