import Foundation

/// A scened of the test's own: its socket, state and configuration in a temporary directory.
package final class Daemon: @unchecked Sendable {
    package let directory: String
    package let socket: String
    private let notify: Int32
    private var process: ChildProcess?

    /// `apps`: the text of each `apps.d/NAME.conf`.
    package init(apps: [String: String]) throws {
        directory = try TemporaryDirectory.make("scened")
        socket = directory + "/run/session"
        let configuration = directory + "/config/apps.d"
        for path in [configuration, directory + "/run"] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        for (name, text) in apps {
            try text.write(toFile: "\(configuration)/\(name).conf", atomically: true, encoding: .utf8)
        }
        notify = try Self.datagramSocket(directory + "/run/notify")
        try start()
    }

    deinit {
        process?.end()
        close(notify)
    }

    /// Until it says that it is ready.
    package func start() throws {
        process = try ChildProcess(
            Spawning.built("scened"),
            ["--user", "--socket", socket, "--state", directory + "/state", "--config", directory + "/config"],
            environment: ["HOME": directory, "NOTIFY_SOCKET": directory + "/run/notify"])
        while true {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = recv(notify, &buffer, buffer.count, 0)
            guard count > 0 else { throw TestFailure("scened does not get ready: \(process?.written() ?? [])") }
            if String(decoding: buffer[..<count], as: UTF8.self).contains("READY=1") { return }
        }
    }

    /// SIGKILL.
    package func kill() { process?.end() }

    package func restart() throws {
        kill()
        try start()
    }

    package func suspend() { process?.signal(SIGSTOP) }
    package func resume() { process?.signal(SIGCONT) }

    /// As systemd stops it; its exit code.
    package func stop() -> Int32 {
        process?.signal(SIGTERM)
        return process?.wait() ?? 0
    }

    private static func datagramSocket(_ path: String) throws -> Int32 {
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | 0o2000000), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        guard bound == 0 else { throw TestFailure("cannot bind \(path)") }
        return socket
    }
}
