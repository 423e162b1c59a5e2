import Testing

@testable import SceneOAuth

@Suite struct WebAddressTests {
    @Test(arguments: [
        "https://login.example.com", "https://login.example.com:8443/realms/a?b=c", "http://127.0.0.1:9402/o",
        "http://127.9.8.7/", "http://[::1]:80/x", "http://localhost:1/", "HTTPS://Login.example.com/",
    ])
    func accepts(text: String) { #expect(WebAddress(text) != nil) }

    @Test(arguments: [
        "", "login.example.com", "http://login.example.com", "http://10.0.0.1/", "http://127.0.0.1.example.com/",
        "http://[::2]/", "http://localhost.example.com/", "ftp://127.0.0.1/", "file:///etc/passwd",
        "https://user@login.example.com/", "https://user:pass@login.example.com/", "https://a.example.com/#x",
        "https://a.example.com/\r\nX: y", "https://a.example.com/ b", "https://", "javascript:alert(1)",
        "http://128.0.0.1/", "https://ex\u{e4}mple.com",
    ])
    func refuses(text: String) { #expect(WebAddress(text) == nil) }

    @Test(arguments: [
        ("https://a.example.com", "https://b.example.com", true), ("https://a.example.com", "https://127.0.0.1/", false),
        ("https://a.example.com", "http://127.0.0.1/", false), ("http://127.0.0.1/", "http://localhost/", true),
        ("http://127.0.0.1/", "https://a.example.com", true),
    ])
    func leadsOn(from: String, to: String, allowed: Bool) throws {
        let first = try #require(WebAddress(from))
        let next = try #require(WebAddress(to))
        #expect(first.allows(next) == allowed)
    }

    @Test func placesOfMetadata() {
        #expect(
            HostAddress.openIDConfiguration(of: "https://a.example.com/o/")
                == "https://a.example.com/o/.well-known/openid-configuration")
        #expect(
            HostAddress.authorizationServerMetadata(of: "https://a.example.com/o") == [
                "https://a.example.com/.well-known/oauth-authorization-server/o",
                "https://a.example.com/o/.well-known/oauth-authorization-server",
            ])
        #expect(
            HostAddress.authorizationServerMetadata(of: "https://a.example.com/") == [
                "https://a.example.com/.well-known/oauth-authorization-server"
            ])
    }
}
