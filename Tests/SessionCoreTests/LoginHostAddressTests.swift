import SceneModel
import Testing

@testable import SessionCore

@Suite struct LoginHostAddressTests {
    @Test(arguments: [
        ("https://login.example.com", "https://login.example.com"),
        ("login.example.com", "https://login.example.com"),
        ("  HTTPS://Login.Example.COM/  ", "https://login.example.com"),
        ("https://login.example.com/Realms/Main//", "https://login.example.com/Realms/Main"),
        ("login.example.com:8443/a", "https://login.example.com:8443/a"),
        ("https://login.example.com:443", "https://login.example.com:443"),
        ("http://localhost:80/", "http://localhost:80"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://127.255.0.9", "http://127.255.0.9"),
        ("http://[::1]:9/x", "http://[::1]:9/x"),
        ("https://[2001:DB8::1]", "https://[2001:db8::1]"),
        ("https://host_a.example", "https://host_a.example"),
        ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
        ("XN--Bcher-KVA.Example", "https://xn--bcher-kva.example"),
        ("\u{a0}\tlogin.example.com /\n", "https://login.example.com"),
        ("http://LOCALHOST:8080", "http://localhost:8080"),
        ("https://a.example:1", "https://a.example:1"), ("https://a.example:65535", "https://a.example:65535"),
        ("https://[::]:443", "https://[::]:443"), ("https://[1::]", "https://[1::]"),
        ("https://[1:2:3:4:5:6:7:8]", "https://[1:2:3:4:5:6:7:8]"),
        ("https://[::FFFF:192.0.2.1]", "https://[::ffff:192.0.2.1]"),
        ("https://[1:2:3:4:5:6:192.0.2.1]", "https://[1:2:3:4:5:6:192.0.2.1]"),
        ("192.0.2.1", "https://192.0.2.1"), ("https://4.example", "https://4.example"),
        ("https://0x.example", "https://0x.example"), ("https://1a", "https://1a"),
        ("https://a.example/@tenant", "https://a.example/@tenant"), ("https://a.example/a:b", "https://a.example/a:b"),
        ("https://a.example/...", "https://a.example/..."), ("https://a.example/.a/b.", "https://a.example/.a/b."),
    ])
    func isNormalized(address: String, expected: String) throws {
        #expect(try LoginHostAddress.normalized(address) == expected)
        #expect(try LoginHostAddress.normalized(expected) == expected)
    }

    @Test(arguments: [
        "", "   ", "/", "https://", "https:///path", "http://login.example.com", "http://localhost.example.com",
        "http://127.0.0.1.example.com", "http://127.1", "http://128.0.0.1", "http://[::2]", "ftp://login.example.com",
        "javascript:alert(1)", "file:///etc/passwd", "https://user@login.example.com", "https://a:b@c",
        "https://a.example?x=1", "https://a.example#x", "https://a.example/?", "https://a.example:0",
        "https://a.example:65536", "https://a.example:+443", "https://a.example:-1", "https://a.example:",
        "https://a.example:x", "https://a b.example", "https://a.example/a b", "https://bücher.example",
        "https://a.example/\u{7f}", "https://a.example\n.evil", "https://a\\b", "https://a%2eb", "https://[::1",
        "https://[::1]x", "https://a[b", "https://a]b", "https://::1", "https://..", "https://a..b", "https://.a",
        "https://[]", "https://[zz]", "https://" + String(repeating: "a", count: 2041),
        String(repeating: " ", count: 5000) + "https://a.example",
        // Users, queries and fragments, empty or hidden.
        "https://@a.example", "https://:@a.example", "https://a.example@", "https://a%40b.example",
        "a.example@b.example",
        "https://a.example#", "https://a.example/x#y", "https://a.example/?#", "mailto:a@b.example",
        // Ports.
        "https://a.example:00", "https://a.example:0443", "https://a.example:443:443", "https://a.example:99999999999",
        "https://a.example: 443", "https://a.example:٤٤٣", "https://[::1]:0", "https://[::1]:", "https://:443",
        // Hosts that end in a dot, are too long, or are another notation of an IPv4 address.
        "https://a.example.", "https://a.example./x", "http://localhost.", "http://127.0.0.1.", "http://a.localhost",
        "https://" + Array(repeating: "a", count: 128).joined(separator: "."),
        "https://" + String(repeating: "a", count: 64) + ".example",
        "https://2130706433", "https://0x7f000001", "https://127.0.1", "https://256.1.1.1", "https://1.2.3.4.5",
        "https://192.0.2.01", "http://127.0.0.010", "http://0x7f.0.0.1", "http://127.0.0.256", "https://a.0x1",
        // IPv6.
        "https://[:]", "https://[:::]", "https://[1]", "https://[1:2]", "https://[1:2:3:4:5:6:7:8:9]",
        "https://[1::2::3]", "https://[1:2:3:4:5:6:7::8]", "https://[12345::]", "https://[::192.0.2.1:1]",
        "https://[192.0.2.1::]", "https://[::192.0.2.01]", "https://[fe80::1%25eth0]", "https://[fe80::1%eth0]",
        "https://[v1.a]", "https://[::1]a.example", "http://[0::1]", "http://[::ffff:127.0.0.1]",
        // Paths that lead elsewhere, and addresses that are put together wrongly.
        "https://a.example/..", "https://a.example/x/../y", "https://a.example/./x", "https://a.example/%2E%2e/x",
        "https:/a.example", "https:a.example", "//a.example", "https://https://a.example", "://a.example",
        "https ://a.example", "https://*.example", "https://a,b.example", "https://a.example\u{2028}x",
    ])
    func isRefused(address: String) {
        #expect {
            try LoginHostAddress.normalized(address)
        } throws: { error in
            if case .invalidLoginHost(url: address, reason: _) = error as? Failure { true } else { false }
        }
    }
}
