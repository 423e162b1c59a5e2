import Glibc
import Synchronization

/// A request as the server saw it.
struct SeenRequest: Sendable {
    var method = ""
    var path = ""
    var headers: [String: String] = [:]
    var body = ""
}

enum ScriptedAnswer: Sendable {
    case answer(Int, [String: String] = [:], String = "")
    /// Bytes as they are, then the connection's end.
    case raw(String)
    /// Bytes as they are; the connection stays until the client hangs up.
    case kept(String)
    /// Nothing, until the client hangs up.
    case silence

    static func json(_ text: String, status: Int = 200, _ headers: [String: String] = [:]) -> ScriptedAnswer {
        .answer(status, headers.merging(["Content-Type": "application/json"]) { first, _ in first }, text)
    }
}

/// A loopback HTTP server on threads and plain sockets: one request a connection.
final class ScriptedServer: Sendable {
    let port: UInt16
    /// Signalled when a request has been read.
    let arrived = Ended()
    /// Signalled when a client has hung up on `silence` or `kept`.
    let hungUp = Ended()
    private let listener: Int32
    /// Its descriptor's number may belong to another once it no longer listens.
    private let isListening = Mutex(true)
    private let seen = Mutex<[SeenRequest]>([])
    private let script: @Sendable (SeenRequest) -> ScriptedAnswer

    init(_ script: @escaping @Sendable (SeenRequest) -> ScriptedAnswer) throws {
        self.script = script
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = loopbackAddress(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let opened = listener
        let failed = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(opened, $0, size) != 0 || listen(opened, 64) != 0 || getsockname(opened, $0, &size) != 0
            }
        }
        guard !failed else { throw ServerFailure(code: errno) }
        port = UInt16(bigEndian: address.sin_port)
        startThread { [weak self] in
            while true {
                let connection = accept(opened, nil, nil)
                guard connection >= 0, let self else {
                    close(connection)
                    break
                }
                startThread { self.serve(connection) }
            }
            close(opened)
        }
    }

    deinit { stop() }

    /// From here on, connections are refused.
    func stop() {
        isListening.withLock { listening in
            if listening { shutdown(listener, Int32(SHUT_RDWR)) }
            listening = false
        }
    }

    var url: String { "http://127.0.0.1:\(port)" }
    var requests: [SeenRequest] { seen.withLock { $0 } }
    func requests(to path: String) -> [SeenRequest] { requests.filter { $0.path == path } }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        guard let request = read(connection) else { return }
        seen.withLock { $0.append(request) }
        arrived.signal()
        let answer = script(request)
        switch answer {
        case .answer(let status, let headers, let body):
            let lines = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
            write(
                connection,
                "HTTP/1.1 \(status) -\r\n\(lines)Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
            )
        case .raw(let text): write(connection, text)
        case .kept(let text):
            write(connection, text)
            awaitHangUp(connection)
        case .silence: awaitHangUp(connection)
        }
    }

    private func awaitHangUp(_ connection: Int32) {
        var byte: UInt8 = 0
        while recv(connection, &byte, 1, 0) > 0 {}
        hungUp.signal()
    }

    private func read(_ connection: Int32) -> SeenRequest? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.firstRange(of: "\r\n\r\n") {
                let request = parse(text[..<end.lowerBound], body: text[end.upperBound...])
                if request.body.utf8.count >= Int(request.headers["content-length"] ?? "0") ?? 0 { return request }
            }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer.prefix(count)
        }
    }

    private func parse(_ head: Substring, body: Substring) -> SeenRequest {
        var request = SeenRequest()
        let lines = head.split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        request.method = words.first.map(String.init) ?? ""
        request.path = words.dropFirst().first.map(String.init) ?? ""
        for line in lines.dropFirst() {
            guard let colon = line.firstRange(of: ": ") else { continue }
            request.headers[line[..<colon.lowerBound].lowercased()] = String(line[colon.upperBound...])
        }
        request.body = String(body)
        return request
    }

    private func write(_ connection: Int32, _ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

struct ServerFailure: Error { var code: Int32 }

func loopbackAddress(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
}
