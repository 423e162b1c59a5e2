import SceneModel
import Testing

@testable import SceneOAuth

private typealias Fault = IdentityProviderMessage.Fault

/// Messages between apps as URLs: read back as they were written, and nothing else.
@Suite struct IdentityProviderMessageTests {
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    private static let pending = PendingAuthorization(
        authorizationUri: "https://login.example.com/authorize?tenant=a%20b&response_type=code&client_id=mail"
            + "&redirect_uri=com.example.mail%3A%2Fcallback&scope=openid%20offline_access&state=st%26te&nonce=n0nce"
            + "&code_challenge=\(challenge)&code_challenge_method=S256&prompt=consent&max_age=60&login_hint=old",
        state: "st&te", nonce: "n0nce", verifier: Secret("v"), redirectURI: "com.example.mail:/callback",
        issuer: "https://login.example.com", host: "https://login.example.com", clientID: "mail")

    private static func message(_ content: IdentityProviderMessage.Content) -> IdentityProviderMessage {
        var request: String? = "request-0123456789"
        if case .idpinit = content { request = nil }
        return IdentityProviderMessage(
            receiver: "com.example.notes", sender: "com.example.mail", request: request, nonce: "nonce-0123456789",
            expires: 1_800_000_300, content: content)
    }

    private static func callback(_ query: String) throws -> CallbackParameters {
        try #require(CallbackParameters(query: query))
    }

    private static func asked() throws -> IdentityProviderMessage {
        message(.authrequest(try #require(AuthorizationParameters(pending, loginHint: "ada & co", scene: "w 1"))))
    }

    private static func all() throws -> [IdentityProviderMessage] {
        [
            try asked(), message(.idpinit(loginHint: "ada@example.com")), message(.idpinit(loginHint: nil)),
            message(.authresponse(try callback("code=c%20d&state=s&iss=https%3A%2F%2Flogin.example.com"))),
            message(.authresponse(try callback("error=access_denied&error_description=no&state=s"))),
            message(.idpauthcodeinit(try callback("code=c&state=s"))),
            message(.error(code: "account_unusable", description: "Ask the office, it's <b>there</b>.")),
            message(.error(code: "access_denied", description: nil)),
        ]
    }

    private func fault(_ url: String) -> Fault? {
        do throws(Fault) {
            _ = try IdentityProviderMessage(url)
            return nil
        } catch {
            return error
        }
    }

    private func altered(_ name: String, _ value: String?) throws -> String {
        let halves = try Self.asked().url.split(separator: "?", maxSplits: 1).map(String.init)
        let kept = halves[1].split(separator: "&").filter { !$0.hasPrefix(name + "=") }.map(String.init)
        return halves[0] + "?" + (kept + (value.map { ["\(name)=\(Form.encode($0))"] } ?? [])).joined(separator: "&")
    }

    @Test func aNameThatIsTooLongIsLeftOut() throws {
        let name = String(repeating: "n", count: 257)
        let parameters = try #require(AuthorizationParameters(Self.pending, loginHint: name, scene: nil))
        #expect(parameters.loginHint == nil)
        #expect(
            try IdentityProviderMessage(Self.message(.idpinit(loginHint: name)).url).content == .idpinit(loginHint: nil)
        )
    }

    @Test func whatIsWrittenIsRead() throws {
        for message in try Self.all() {
            #expect(IdentityProviderMessage.isMeant(by: message.url))
            #expect(try IdentityProviderMessage(message.url) == message)
            #expect(message.url.utf8.allSatisfy { (0x21...0x7e).contains($0) })
        }
    }

    @Test func aRequestSaysAllThatTheLoginHostIsAskedAndNoMore() throws {
        let url = try Self.asked().url
        #expect(url.hasPrefix("com.example.notes:/idp/authrequest?idp_version=1&idp_sender=com.example.mail&"))
        guard case .authrequest(let parameters) = try IdentityProviderMessage(url).content else { return }
        #expect(parameters.state == "st&te" && parameters.maxAge == 60 && parameters.codeChallenge == Self.challenge)
        #expect(parameters.loginHint == "ada & co" && parameters.scene == "w 1")
        let query = parameters.query(loginHint: "bob").text
        #expect(
            query == "response_type=code&client_id=mail&redirect_uri=com.example.mail%3A%2Fcallback"
                + "&scope=openid%20offline_access&state=st%26te&nonce=n0nce&code_challenge=\(Self.challenge)"
                + "&code_challenge_method=S256&max_age=60&prompt=consent&login_hint=bob")
    }

    @Test(
        arguments: [
            ("idp_version", "2", .unknownVersion), ("idp_version", nil, .unknownVersion),
            ("idp_sender", nil, .badEnvelope), ("idp_sender", "mail", .badEnvelope),
            ("idp_sender", "Com.Example.Mail", .badEnvelope), ("idp_sender", "https", .badEnvelope),
            ("idp_sender", "com.example.evil", .foreignRedirect), ("idp_nonce", "short", .badEnvelope),
            ("idp_nonce", "with spaces 0123456", .badEnvelope), ("idp_nonce", nil, .badEnvelope),
            ("idp_request", nil, .badEnvelope), ("idp_request", "\u{1b}[31m0123456789012", .badEnvelope),
            ("idp_expires", "-1", .badEnvelope), ("idp_expires", "1e9", .badEnvelope),
            ("idp_expires", nil, .badEnvelope),
            ("idp_expires", "99999999999999999999", .badEnvelope),
            ("redirect_uri", "http://127.0.0.1/cb", .foreignRedirect),
            ("redirect_uri", "com.example.mailer:/callback", .foreignRedirect),
            ("redirect_uri", "https://evil.example/", .foreignRedirect),
            ("redirect_uri", "javascript:x", .foreignRedirect),
            ("redirect_uri", nil, .badContent), ("code_challenge_method", "plain", .badContent),
            ("code_challenge_method", nil, .badContent), ("code_challenge", "short", .badContent),
            ("code_challenge", nil, .badContent), ("response_type", "token", .badContent), ("state", nil, .badContent),
            ("nonce", nil, .badContent), ("client_id", nil, .badContent), ("scope", "profile", .badContent),
            ("idp_login_host", "http://login.example.com", .badContent), ("idp_login_host", "file:///x", .badContent),
            ("idp_login_host", nil, .badContent), ("max_age", "-1", .badContent), ("login_hint", "a\nb", .badContent),
            ("state", String(repeating: "s", count: 513), .badContent),
            ("login_hint", String(repeating: "h", count: 9000), .malformed),
        ] as [(String, String?, IdentityProviderMessage.Fault)])
    func whatIsNotInOrderIsRefused(name: String, value: String?, expected: IdentityProviderMessage.Fault) throws {
        #expect(fault(try altered(name, value)) == expected)
    }

    @Test func whatIsNoneIsNotTakenForOne() throws {
        let url = try Self.asked().url
        #expect(fault(url + "&state=again") == .malformed)
        #expect(fault(url + "&x=%zz") == .malformed)
        #expect(fault(url + "&future=1") == nil)
        #expect(fault(url.replacing("com.example.notes:", with: "Com.Example.NOTES:")) == nil)
        for other in [
            "", ":", "com.example.notes:", "com.example.notes:/callback?code=1", "com.example.notes:/idp/other?x=1",
            "com.example.notes://idp/error?error=x", "com.example.notes:/idp/error/?error=x",
            "com.example.notes:/idp/ERROR?error=x",
        ] {
            #expect(!IdentityProviderMessage.isMeant(by: other), "\(other)")
            #expect(fault(other) == .malformed)
        }
    }

    @Test func whatAnErrorSaysIsInert() throws {
        let message = try IdentityProviderMessage(
            Self.message(.error(code: "no\u{1b}[31m<script>", description: "a\u{202e}b\nc")).url)
        #expect(message.content == .error(code: "no[31m<script>", description: "abc"))
    }

    @Test(arguments: [(1, true), (600, true), (601, false), (0, false), (-5, false), (Int.max - 1_800_000_000, false)])
    func howLongAMessageIsGood(seconds: Int, isTimely: Bool) {
        var message = Self.message(.idpinit(loginHint: nil))
        message.expires = 1_800_000_000 + seconds
        #expect(message.isTimely(at: 1_800_000_000) == isTimely)
    }

    /// Whatever a web page makes of one: it is refused, or is what its own text says.
    @Test func bytesAtRandom() throws {
        var generator = SystemRandomNumberGenerator()
        let pieces = ["&", "=", "?", ":", "%", "%00", "%ff", "idp_", "/idp/", "\u{1b}", "ä", "state=", "A"].map {
            Array($0.utf8)
        }
        for message in try Self.all() {
            for _ in 0..<400 {
                var bytes = Array(message.url.utf8)
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    let place = Int.random(in: 0..<max(1, bytes.count), using: &generator)
                    let piece = pieces.randomElement(using: &generator) ?? []
                    switch Int.random(in: 0..<3, using: &generator) {
                    case 0: bytes.removeSubrange(place..<min(bytes.count, place + 3))
                    case 1: bytes.insert(contentsOf: piece, at: place)
                    default: bytes.replaceSubrange(place..<min(bytes.count, place + piece.count), with: piece)
                    }
                }
                guard let read = try? IdentityProviderMessage(String(decoding: bytes, as: UTF8.self)) else { continue }
                #expect(try IdentityProviderMessage(read.url) == read, "\(String(decoding: bytes, as: UTF8.self))")
            }
        }
    }
}
