import CCurl

/// How long, by a login host's own headers, to wait or to keep something.
enum HostTiming {
    /// Seconds of a Retry-After header, given as seconds or as an HTTP-date (RFC 9110, section 10.2.3): between 1 and
    /// a day. Nil where the header is absent or unreadable.
    static func retryAfter(_ header: String?, wallNow: Int) -> Int? {
        guard let header else { return nil }
        let text = header.trimmed
        if !text.isEmpty, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) {
            return clamp(Int(text) ?? .max, 1...86_400)
        }
        let date = curl_getdate(text, nil)
        guard date >= 0 else { return nil }
        let (wait, overflow) = Int(date).subtractingReportingOverflow(wallNow)
        return overflow ? nil : clamp(wait, 1...86_400)
    }

    /// How long a document is kept: `max-age` within 5 minutes and a day, or an hour (RFC 9111, section 5.2.2.1).
    static func lifetime(cacheControl header: String?) -> Int {
        for directive in header?.split(separator: ",") ?? [] {
            let halves = directive.split(separator: "=", maxSplits: 1).map { $0.trimmed.lowercased() }
            guard halves.first == "max-age", halves.count == 2 else { continue }
            let digits = halves[1].filter { $0 != "\"" }
            guard !digits.isEmpty, digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
                break
            }
            return clamp(Int(digits) ?? .max, 300...86_400)
        }
        return 3600
    }

    private static func clamp(_ value: Int, _ range: ClosedRange<Int>) -> Int {
        min(max(value, range.lowerBound), range.upperBound)
    }
}

extension StringProtocol {
    /// Without blanks at both ends.
    var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
