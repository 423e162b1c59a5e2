import Glibc

/// `openssl s_server` on loopback with a certificate of its own for 127.0.0.1, for a few connections.
final class TLSServer {
    let port: Int
    let certificateFile: String
    private let directory: String
    private let process: UnsafeMutablePointer<FILE>

    init(connections: Int) throws {
        var template = Array("/tmp/scened-tls-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw ServerFailure(code: errno) }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        certificateFile = directory + "/certificate.pem"
        let command = """
            cd \(directory) && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -keyout key.pem \
            -out certificate.pem -subj /CN=test -addext subjectAltName=IP:127.0.0.1 2>/dev/null && \
            exec timeout 50 openssl s_server -accept 127.0.0.1:0 -cert certificate.pem -key key.pem -www \
            -naccept \(connections) 2>/dev/null
            """
        guard let process = popen(command, "r") else { throw ServerFailure(code: errno) }
        self.process = process
        var line = [CChar](repeating: 0, count: 512)
        var port = 0
        while port == 0, fgets(&line, Int32(line.count), process) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard text.hasPrefix("ACCEPT"), let colon = text.lastIndex(of: ":") else { continue }
            port = Int(text[text.index(after: colon)...].prefix { $0.isNumber }) ?? 0
        }
        self.port = port
    }

    /// Waits until all connections have been made.
    deinit {
        pclose(process)
        for name in ["certificate.pem", "key.pem"] { unlink(directory + "/" + name) }
        rmdir(directory)
    }
}
