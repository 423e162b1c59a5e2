import Glibc

@testable import SceneLogin

/// A blocking HTTP client that sends exactly the bytes it is given.
final class RawBrowser {
    struct Answer {
        var status: Int
        var head: String
        var body: String

        /// The value of a header; nil where it is absent.
        func header(_ name: String) -> String? {
            head.split(separator: "\r\n").dropFirst().first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
                .map { String($0.drop { $0 != ":" }.dropFirst().drop { $0 == " " }) }
        }
    }

    enum Family { case ipv4, ipv6, ipv4InIPv6 }

    let socket: Int32

    /// - Returns: nil where nobody listens.
    init?(port: UInt16, _ family: Family = .ipv4) {
        socket = Glibc.socket(family == .ipv4 ? AF_INET : AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(socket, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        guard Self.connect(socket, port, family) == 0 else { return nil }
    }

    deinit { close(socket) }

    func send(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            start += count
        }
    }

    func get(_ target: String, host: String, method: String = "GET", headers: [String] = []) {
        let lines = ["\(method) \(target) HTTP/1.1", "Host: \(host)"] + headers
        send((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// What comes until the server closes.
    func readAll() -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16384)
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { return all }
            all += buffer.prefix(count)
        }
    }

    /// Whether the server has, or has answered.
    var isHungUp: Bool {
        var found = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&found, 1, 0) > 0
    }

    /// What has come so far.
    func readAvailable() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 16384)
        let count = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return Array(buffer.prefix(max(count, 0)))
    }

    /// nil where the connection was closed without an answer.
    func answer() -> Answer? {
        let text = String(decoding: readAll(), as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n"), let status = Int(text.dropFirst(9).prefix(3)) else { return nil }
        return Answer(
            status: status, head: String(text[..<end.lowerBound]), body: String(text[end.upperBound...]))
    }

    static func get(
        _ target: String, at login: OpenedLogin, host: String? = nil, method: String = "GET",
        headers: [String] = []
    ) -> Answer? {
        guard let browser = RawBrowser(port: login.port) else { return nil }
        browser.get(target, host: host ?? login.authority, method: method, headers: headers)
        return browser.answer()
    }

    private static func connect(_ socket: Int32, _ port: UInt16, _ family: Family) -> Int32 {
        var v4 = sockaddr_in()
        v4.sin_family = sa_family_t(AF_INET)
        v4.sin_port = port.bigEndian
        v4.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var v6 = sockaddr_in6()
        v6.sin6_family = sa_family_t(AF_INET6)
        v6.sin6_port = port.bigEndian
        v6.sin6_addr = in6addr_loopback
        if family == .ipv4InIPv6 { inet_pton(AF_INET6, "::ffff:127.0.0.1", &v6.sin6_addr) }
        return family == .ipv4 ? connect(socket, &v4) : connect(socket, &v6)
    }

    private static func connect<Address>(_ socket: Int32, _ address: inout Address) -> Int32 {
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}
