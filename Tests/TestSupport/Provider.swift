import Foundation

/// A real OpenID provider, django-oauth-toolkit by Tests/idp/dot-up, with a database that lasts for the run.
package final class Provider: Sendable {
    package let issuer: String
    private let process: pid_t

    /// Started when it is first wanted; ends with the tests.
    package static let shared = Result {
        let provider = try Provider()
        running = provider.process
        atexit { kill(running, SIGTERM) }
        return provider
    }

    nonisolated(unsafe) private static var running: pid_t = 0

    private init() throws {
        let directory = Spawning.root + "/.cache/idp/session-tests"
        try? FileManager.default.removeItem(atPath: directory + "/db.sqlite3")
        let up = try ChildProcess(Spawning.root + "/Tests/idp/dot-up", ["\(try Self.freePort())", directory])
        // The provider keeps the output open; this is the last line.
        try up.line("device_authorization_endpoint=", seconds: 300)
        func value(_ name: String) throws -> String {
            String(try up.line(name + "=").dropFirst(name.count + 1))
        }
        issuer = try value("issuer")
        process = pid_t(try value("pid")) ?? 0
    }

    /// An app's configuration, for apps.d.
    package func app(_ keys: String = "") -> String {
        """
        [App]
        Name=Notes
        ClientID=scene
        Scopes=openid profile email
        RedirectURI=http://127.0.0.1/callback
        \(keys)
        [LoginHost]
        URL=\(issuer)
        Label=Test

        """
    }

    /// Signs a user in at a login screen, as a browser would; returns when the browser has shown the last page.
    package static func signIn(_ user: String, at screen: String) throws {
        let visitor = Spawning.root + "/Tests/acceptance/visitor.py"
        let process = try ChildProcess("/usr/bin/python3", ["-B", visitor, user, screen])
        guard process.wait() == 0 else { throw TestFailure("\(user) could not sign in: \(process.written())") }
    }

    private static func freePort() throws -> UInt16 {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let done = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, size) == 0 && getsockname(socket, $0, &size) == 0
            }
        }
        guard done else { throw TestFailure("no free port") }
        return UInt16(bigEndian: address.sin_port)
    }
}
