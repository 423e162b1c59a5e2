import Testing

@testable import SceneOAuth

@Suite struct RevocationTests {
    private func read(_ status: Int, _ body: String, isConfidential: Bool = false) throws(OAuthFailure) -> Revocation {
        try RevocationEndpoint.read(
            HTTPResponse(status: status, headers: ["retry-after": "9"], body: Array(body.utf8)),
            isConfidential: isConfidential, wallNow: 0)
    }

    @Test(
        arguments: [
            (200, "", .revoked), (200, "{}", .revoked), (204, "", .revoked),
            (400, #"{"error":"invalid_token"}"#, .revoked),
            (401, "", .unsupported), (403, "", .unsupported), (404, "<html>", .unsupported), (405, "", .unsupported),
            (400, #"{"error":"unsupported_token_type"}"#, .unsupported),
            (400, #"{"error":"invalid_client"}"#, .unsupported),
            (400, #"{"error":"unauthorized_client"}"#, .unsupported),
        ] as [(Int, String, Revocation)])
    func isDone(status: Int, body: String, outcome: Revocation) throws {
        #expect(try read(status, body) == outcome)
    }

    /// Its secret may be mended; a public client that is refused has nothing to mend.
    @Test(arguments: [
        (401, ""), (403, ""), (401, #"{"error":"invalid_client"}"#), (400, #"{"error":"invalid_client"}"#),
        (400, #"{"error":"unauthorized_client"}"#),
    ])
    func aConfidentialClientTriesAgain(status: Int, body: String) throws {
        #expect(throws: OAuthFailure.self) { try read(status, body, isConfidential: true) }
        #expect(try read(status, body) == .unsupported)
    }

    @Test(arguments: [
        (302, ""), (400, ""), (400, #"{"error":"invalid_request"}"#), (408, ""), (429, ""), (500, ""), (503, ""),
        (200, "<!DOCTYPE html>"), (200, "\r\n <html>"),
    ])
    func isToBeDoneLater(status: Int, body: String) {
        #expect {
            try read(status, body)
        } throws: {
            if case .unavailable(9, _)? = $0 as? OAuthFailure { true } else { false }
        }
    }
}
