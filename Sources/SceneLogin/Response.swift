/// An answer to a browser, with the headers that keep a page to itself.
struct Response {
    var status: UInt32
    var headers: [(name: String, value: String)]
    var body: [UInt8]

    init(_ page: Page, status: UInt32 = 200) {
        self.init(page, status: status, extra: [])
    }

    init(_ refusal: Refusal, _ messages: Messages) {
        self.init(
            Page(refusal, messages), status: refusal.status, extra: refusal == .method ? [("Allow", "GET, HEAD")] : [])
    }

    /// See Other (RFC 9110, section 15.4.4).
    init(redirectTo uri: String) {
        status = 303
        headers = [("Location", Self.header(uri))] + Self.isolation("")
        body = []
    }

    /// A picture of the app's own: shown in our pages, inert where it is opened by itself.
    init(_ asset: Asset) {
        status = 200
        headers =
            [("Content-Type", asset.contentType)] + Self.isolation("; style-src 'unsafe-inline'; sandbox")
        body = asset.content
    }

    private init(_ page: Page, status: UInt32, extra: [(name: String, value: String)]) {
        let nonce = randomToken()
        self.status = status
        headers =
            extra
            + [("Content-Type", "text/html; charset=utf-8"), ("Content-Language", page.messages.language)]
            + Self.isolation("; style-src 'nonce-\(nonce)'; img-src 'self'; form-action 'self'")
        headers.append(("Vary", "Accept-Language"))
        body = Array(page.html(nonce: nonce).utf8)
    }

    private static func isolation(_ allowed: String) -> [(name: String, value: String)] {
        let actions = allowed.contains("form-action") ? "" : "; form-action 'none'"
        return [
            (
                "Content-Security-Policy",
                "default-src 'none'\(allowed)\(actions); base-uri 'none'; frame-ancestors 'none'"
            ),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("X-Frame-Options", "DENY"),
            ("X-Content-Type-Options", "nosniff"),
            // To ourselves only: without it, forms would come from the origin "null".
            ("Referrer-Policy", "same-origin"),
            ("Cache-Control", "no-store"),
            ("Connection", "close"),
        ]
    }

    /// Percent-encodes what cannot stand in a header.
    static func header(_ uri: String) -> String {
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
