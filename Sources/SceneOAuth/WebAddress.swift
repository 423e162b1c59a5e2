import CCurl

/// A URL that we would connect to: https, or http on a loopback address; no user, no fragment.
struct WebAddress: Hashable, Sendable {
    let text: String
    let isSecure: Bool
    /// Whether the host is a loopback address or `localhost`, which libcurl never asks DNS for.
    let isLoopback: Bool
    let path: String

    /// Read by libcurl's own parser, so that what is checked is what is connected to (curl_url_set).
    init?(_ text: String) {
        guard text.utf8.count <= 8192, text.utf8.allSatisfy({ 0x21...0x7e ~= $0 }), let url = curl_url() else {
            return nil
        }
        defer { curl_url_cleanup(url) }
        guard curl_url_set(url, CURLUPART_URL, text, UInt32(CURLU_DISALLOW_USER)) == CURLUE_OK,
            WebAddress.part(CURLUPART_FRAGMENT, of: url) == nil,
            let scheme = WebAddress.part(CURLUPART_SCHEME, of: url)?.lowercased(),
            let host = WebAddress.part(CURLUPART_HOST, of: url)?.lowercased(), !host.isEmpty
        else { return nil }

        self.text = text
        isSecure = scheme == "https"
        isLoopback = WebAddress.isLoopback(host)
        path = WebAddress.part(CURLUPART_PATH, of: url) ?? "/"
        guard isSecure || scheme == "http" && isLoopback else { return nil }
    }

    /// Where this address's owner may send us next: never from https to http, and never from elsewhere to loopback.
    func allows(_ next: WebAddress) -> Bool {
        isLoopback ? true : next.isSecure && !next.isLoopback
    }

    private static func part(_ part: CURLUPart, of url: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(url, part, &text, 0) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return numbers.count == 4 && numbers[0] == 127 && !numbers.contains(nil)
    }
}

/// The address of a login host, which is its issuer but for a slash at the end.
enum HostAddress {
    static func withoutSlash(_ text: String) -> String {
        text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// OpenID Connect Discovery 1.0, section 4.1.
    static func openIDConfiguration(of host: String) -> String {
        withoutSlash(host) + "/.well-known/openid-configuration"
    }

    /// RFC 8414's place, between host and path (section 3.1), and the one behind the path that many use.
    static func authorizationServerMetadata(of host: String) -> [String] {
        let name = "/.well-known/oauth-authorization-server"
        let base = withoutSlash(host)
        guard let start = base.firstRange(of: "://") else { return [] }
        guard let slash = base[start.upperBound...].firstIndex(of: "/") else { return [base + name] }
        return [base[..<slash] + name + base[slash...], base + name]
    }
}
