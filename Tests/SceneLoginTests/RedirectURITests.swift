import Testing

@testable import SceneLogin

struct RedirectURITests {
    @Test(
        arguments: [
            ("http://127.0.0.1/callback", nil, "/callback", "http://127.0.0.1:40000/callback"),
            ("http://127.0.0.1:8765/callback", 8765, "/callback", "http://127.0.0.1:8765/callback"),
            ("http://127.0.0.1", nil, "/", "http://127.0.0.1:40000"),
            ("http://127.0.0.1/", nil, "/", "http://127.0.0.1:40000/"),
            ("http://localhost/a/b?app=1", nil, "/a/b", "http://localhost:40000/a/b?app=1"),
            ("http://[::1]:65535/x%20y", 65535, "/x%20y", "http://[::1]:65535/x%20y"),
            ("http://127.0.0.1?x=1", nil, "/", "http://127.0.0.1:40000?x=1"),
        ] as [(String, UInt16?, String, String)])
    func loopback(text: String, port: UInt16?, path: String, opened: String) throws {
        let uri = try RedirectURI(text)
        #expect(uri.port == port)
        #expect(uri.path == path)
        #expect(uri.text(port: port ?? 40000) == opened)
    }

    @Test(arguments: [
        ("com.example.app:/callback", "com.example.app"), ("Com.Example.App:/callback?x=1", "com.example.app"),
        ("notes:///login/done", "notes"), ("a+b-c.d:x", "a+b-c.d"),
    ])
    func privateScheme(text: String, scheme: String) throws {
        let uri = try RedirectURI(text)
        #expect(uri.privateScheme == scheme)
        #expect(uri.path == nil)
        #expect(uri.text(port: 40000) == text)
        #expect(try RedirectURI("http://127.0.0.1/callback").privateScheme == nil)
    }

    @Test(arguments: [
        "", "http://", "https://127.0.0.1/callback", "http://example.com/callback", "com.example.app:", "1a:/b",
        "a b:/c",
        "JavaScript:alert(1)", "data:text/html,x", "file:///etc/passwd", "com.example.app:/a#b", "com.example.app:/<b>",
        "com.example.app:?x=1", "com.example.app:/\u{1b}", "com.example.app:/" + String(repeating: "a", count: 2048),
        "http://127.0.0.1.example.com/callback", "http://127.0.0.1@example.com/", "http://user@127.0.0.1/",
        "http://127.0.0.2/callback", "http://[::2]/", "http://localhost.example/", "http://127.0.0.1:/callback",
        "http://127.0.0.1:0/callback", "http://127.0.0.1:65536/callback", "http://127.0.0.1:080/callback",
        "http://127.0.0.1:+80/callback", "http://127.0.0.1:٣/callback", "http://127.0.0.1/a#b", "http://127.0.0.1/a b",
        "http://127.0.0.1/a\r\nX: y", "http://127.0.0.1/é", "http://127.0.0.1/a/../b", "http://127.0.0.1/%2e%2E/b",
    ])
    func unsupported(text: String) {
        #expect {
            try RedirectURI(text)
        } throws: {
            guard case .unsupportedRedirectURI(let reason) = $0 as? LoopbackFailure else { return false }
            return !reason.isEmpty
        }
    }
}
