import SceneModel

/// The form in which addresses of login hosts are compared.
package enum LoginHostAddress {
    /// Trimmed, completed with https, without a final slash, scheme and host in lower case.
    ///
    /// Throws InvalidLoginHost: https is required, but for loopback addresses.
    package static func normalized(_ address: String) throws(Failure) -> String {
        func invalid(_ reason: String) -> Failure { .invalidLoginHost(url: address, reason: reason) }
        // Before anything is done at its length.
        guard address.utf8.count <= 4096 else { throw invalid("it is too long") }
        var text = address[...]
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace || last == "/" { text.removeLast() }
        guard (1...2048).contains(text.utf8.count) else { throw invalid("it is empty or too long") }
        guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !#"<>"\^`{|}"#.utf8.contains($0) }) else {
            throw invalid("it holds characters that an address cannot have")
        }
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        let scheme = parts.count == 2 ? parts[0].lowercased() : "https"
        guard scheme == "https" || scheme == "http" else { throw invalid("only https addresses are login hosts") }
        let rest = parts[parts.count - 1]
        let end = rest.firstIndex(of: "/") ?? rest.endIndex
        let authority = rest[..<end].lowercased()
        guard !authority.contains("@"), !rest.contains("?"), !rest.contains("#") else {
            throw invalid("it may have no user, query or fragment")
        }
        guard let host = host(of: authority) else { throw invalid("its host or port is not one that there can be") }
        if scheme == "http", !isLoopback(host) { throw invalid("http is for loopback addresses only") }
        // They would be resolved before anything is sent, and the issuer be another address.
        guard !rest[end...].split(separator: "/").contains(where: isDots) else {
            throw invalid("its path may have no . or .. in it")
        }
        // A port stays as it is, the usual one too: issuers are compared as they are written.
        return scheme + "://" + authority + rest[end...]
    }

    /// The host without its port; nil where either is malformed.
    private static func host(of authority: String) -> Substring? {
        var host = authority[...]
        var port: Substring?
        if host.hasPrefix("["), let close = host.firstIndex(of: "]") {
            let after = host[host.index(after: close)...]
            guard after.isEmpty || after.hasPrefix(":") else { return nil }
            port = after.isEmpty ? nil : after.dropFirst()
            host = host[...close]
        } else if let colon = host.firstIndex(of: ":") {
            port = host[host.index(after: colon)...]
            host = host[..<colon]
        }
        guard isName(host) || isIPv4(host) || isIPv6(host) else { return nil }
        if let port, !(1...65535).contains(number(port) ?? 0) { return nil }
        return host
    }

    /// Labels with dots between them, and none behind the last; an underscore is against the rules, and there are such
    /// hosts. What ends in a number is an IPv4 address, or would be taken for one in some other notation.
    private static func isName(_ host: Substring) -> Bool {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard host.utf8.count <= 253, let last = labels.last, !last.utf8.allSatisfy(isDigit), !last.hasPrefix("0x")
        else { return false }
        return labels.allSatisfy { label in
            (1...63).contains(label.utf8.count)
                && label.utf8.allSatisfy {
                    isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "-")
                        || $0 == UInt8(ascii: "_")
                }
        }
    }

    private static func isIPv4(_ host: Substring) -> Bool {
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map(number)
        return numbers.count == 4 && numbers.allSatisfy { $0.map { $0 <= 255 } ?? false }
    }

    /// In brackets (RFC 4291, section 2.2), without a zone.
    private static func isIPv6(_ host: Substring) -> Bool {
        guard host.hasPrefix("["), host.hasSuffix("]") else { return false }
        let halves = host.dropFirst().dropLast().split(
            separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
        guard let count = groups(halves[0], mayEndInIPv4: halves.count == 1) else { return false }
        guard halves.count == 2 else { return count == 8 }
        return groups(halves[1], mayEndInIPv4: true).map { count + $0 <= 7 } ?? false
    }

    /// How many groups of 16 bits these are; nil where one is none.
    private static func groups(_ text: Substring, mayEndInIPv4: Bool) -> Int? {
        if text.isEmpty { return 0 }
        var count = 0
        let groups = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, group) in groups.enumerated() {
            if mayEndInIPv4, index == groups.count - 1, isIPv4(group) {
                count += 2
            } else {
                guard (1...4).contains(group.utf8.count), group.allSatisfy(\.isHexDigit) else { return nil }
                count += 1
            }
        }
        return count
    }

    /// A decimal number of up to five digits, without a sign and without zeros before it, which some read as octal.
    private static func number(_ text: Substring) -> Int? {
        guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy(isDigit), text == "0" || !text.hasPrefix("0")
        else { return nil }
        return Int(text)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

    private static func isDots(_ segment: Substring) -> Bool {
        [".", ".."].contains(segment.lowercased().replacing("%2e", with: "."))
    }

    private static func isLoopback(_ host: Substring) -> Bool {
        host == "localhost" || host == "[::1]" || (host.hasPrefix("127.") && isIPv4(host))
    }
}
