/// An answer to a browser, with the headers that keep a page to itself.
struct Response {
    var status: UInt32
    var headers: [(name: String, value: String)]
    var body: [UInt8]

    init(_ page: Page, status: UInt32 = 200) {
        self.init(page, status: status, extra: [])
    }

    init(_ refusal: Refusal) {
        self.init(Page(refusal), status: refusal.status, extra: refusal == .method ? [("Allow", "GET")] : [])
    }

    /// See Other (RFC 9110, section 15.4.4).
    init(redirectTo uri: String) {
        status = 303
        headers = [("Location", Self.header(uri))] + Self.isolation(styles: "'none'")
        body = []
    }

    private init(_ page: Page, status: UInt32, extra: [(name: String, value: String)]) {
        let nonce = randomToken()
        self.status = status
        headers =
            extra + [("Content-Type", "text/html; charset=utf-8"), ("Content-Language", "en")]
            + Self.isolation(styles: "'nonce-\(nonce)'")
        body = Array(page.html(nonce: nonce).utf8)
    }

    private static func isolation(styles: String) -> [(name: String, value: String)] {
        [
            (
                "Content-Security-Policy",
                "default-src 'none'; style-src \(styles); base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            ),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("X-Frame-Options", "DENY"),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("Cache-Control", "no-store"),
            ("Connection", "close"),
        ]
    }

    /// Percent-encodes what cannot stand in a header.
    private static func header(_ uri: String) -> String {
        uri.utf8.reduce(into: "") { text, byte in
            if (0x21...0x7e).contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                text += "%" + (digits.count < 2 ? "0" : "") + digits
            }
        }
    }
}
