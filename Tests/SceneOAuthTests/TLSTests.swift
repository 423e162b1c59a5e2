import SceneModel
import Testing

@testable import SceneOAuth

@Suite(.timeLimit(.minutes(1))) struct TLSTests {
    private func outcome(of url: String, trusting file: String?) async throws -> String {
        try await withLoopHost(certificateFile: file) { host in
            do {
                return "\(try await host.send(HTTPRequest(url: url)).status)"
            } catch HTTPFailure.tls {
                return "tls"
            }
        }
    }

    @Test func aCertificateMustBeTrustedAndForTheName() async throws {
        let server = try TLSServer(connections: 3)
        let url = "https://127.0.0.1:\(server.port)/"
        #expect(try await outcome(of: url, trusting: nil) == "tls")
        #expect(
            try await outcome(of: "https://localhost:\(server.port)/", trusting: server.certificateFile) == "tls")
        #expect(try await outcome(of: url, trusting: server.certificateFile) == "200")
    }

    @Test func anUnreadableCertificateFileIsNotIgnored() async throws {
        let server = try ScriptedServer { _ in .silence }
        let url = "https://127.0.0.1:\(server.port)/"
        #expect(try await outcome(of: url, trusting: "/nonexistent/certificate.pem") == "tls")
    }
}
