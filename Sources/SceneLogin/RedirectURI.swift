/// A redirect URI on a loopback address (RFC 8252, section 7.3) or of a private scheme (section 7.1), as an app's
/// configuration names it.
package struct RedirectURI: Hashable {
    enum Host: String, CaseIterable {
        case ipv4 = "127.0.0.1"
        case ipv6 = "[::1]"
        case localhost = "localhost"
    }

    let host: Host
    /// Absent: any free port.
    let port: UInt16?
    /// What the request line of a callback shows before its query. Nil with a private scheme: no callback comes here, only
    /// who opens the login screen.
    let path: String?
    /// In lower case.
    package let privateScheme: String?
    /// With a private scheme the whole, else path and query as configured.
    private let tail: String

    package init(_ text: String) throws(LoopbackFailure) {
        guard text.utf8.count <= 2048 else { throw .unsupportedRedirectURI("it is too long") }
        guard text.hasPrefix("http://") else {
            privateScheme = try Self.privateScheme(of: text)
            (host, port, path, tail) = (.ipv4, nil, nil, text)
            return
        }
        privateScheme = nil
        let rest = text.dropFirst("http://".count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        tail = String(rest[authority.endIndex...])
        (host, port) = try Self.parse(authority: authority)

        let path = tail.prefix { $0 != "?" }
        guard tail.utf8.allSatisfy(Self.isAllowed) else {
            throw .unsupportedRedirectURI("it has a fragment, or a character that must be percent-encoded")
        }
        // A browser would resolve these, and then ask for another path.
        let segments = path.split(separator: "/").map { $0.lowercased() }
        guard !segments.contains(where: { [".", "..", "%2e", ".%2e", "%2e.", "%2e%2e"].contains($0) }) else {
            throw .unsupportedRedirectURI("its path has dot segments")
        }
        self.path = path.isEmpty ? "/" : String(path)
    }

    /// As it is given to the login host.
    func text(port: UInt16) -> String {
        privateScheme == nil ? "http://\(host.rawValue):\(port)\(tail)" : tail
    }

    /// Schemes that are somebody else's: what opens a URL would not hand it to us, or would do as it says.
    private static let takenSchemes: Set<String> = [
        "about", "blob", "chrome", "data", "dav", "davs", "file", "filesystem", "ftp", "ftps", "http", "https", "imap",
        "intent", "irc", "javascript", "ldap", "magnet", "mailto", "news", "rtsp", "sftp", "sip", "sips", "sms", "smb",
        "ssh", "tel", "telnet", "urn", "vbscript", "view-source", "ws", "wss", "xmpp",
    ]

    /// RFC 3986, section 3.1, and what it may hold for a browser to leave it as it is.
    private static func privateScheme(of text: String) throws(LoopbackFailure) -> String {
        guard let colon = text.firstIndex(of: ":"), text.first?.isLetter == true,
            text[..<colon].utf8.allSatisfy({ isAllowed($0) && !"_~!$&'()*,;=@/?%".utf8.contains($0) })
        else { throw .unsupportedRedirectURI("it is no URI") }
        let scheme = text[..<colon].lowercased()
        guard !takenSchemes.contains(scheme) else {
            throw .unsupportedRedirectURI(
                "it is http:// on 127.0.0.1, [::1] or localhost, or has a private scheme like com.example.notes")
        }
        let rest = text[text.index(after: colon)...]
        guard !rest.isEmpty, !rest.hasPrefix("?"), rest.utf8.allSatisfy(isAllowed) else {
            throw .unsupportedRedirectURI("behind its scheme is nothing, a fragment, or what must be percent-encoded")
        }
        return scheme
    }

    private static func parse(authority: Substring) throws(LoopbackFailure) -> (Host, UInt16?) {
        for host in Host.allCases where authority.hasPrefix(host.rawValue) {
            let rest = authority.dropFirst(host.rawValue.count)
            if rest.isEmpty { return (host, nil) }
            guard rest.first == ":" else { continue }
            let digits = rest.dropFirst()
            guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), digits.first != "0",
                let port = UInt16(digits)
            else { throw .unsupportedRedirectURI("its port is not a number from 1 to 65535") }
            return (host, port)
        }
        throw .unsupportedRedirectURI("its host is not 127.0.0.1, [::1] or localhost")
    }

    /// RFC 3986: unreserved, sub-delims, and what else a path and a query may hold.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~!$&'()*+,;=:@/?%".utf8.contains(byte)
        }
    }
}
