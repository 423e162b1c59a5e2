import SceneModel

/// Makes text from a login host fit to be shown and logged.
enum ScrubbedText {
    static let mark = "[removed]"
    private static let longest = 200

    /// Without control characters and whatever looks like a token: the secrets themselves, also in base64, hexadecimal
    /// or percent-encoded, JWTs, long runs of base64url. At most 200 characters; nil where nothing is left.
    static func of(_ text: String, hiding secrets: [Secret] = []) -> String? {
        guard var result = visible(text, longest: 8192) else { return nil }
        result = scrubbed(result, hiding: secrets)
        // What was percent-encoded without need is nowhere to be cut out: then nothing is told.
        var plain = result
        for _ in 0..<3 where plain.contains("%") {
            plain = Form.decodeLeniently(plain)
            if scrubbed(plain, hiding: secrets) != plain { return mark }
        }
        if result.count > longest { result = result.prefix(longest - 1) + "…" }
        return result.allSatisfy(\.isWhitespace) ? nil : result
    }

    /// Without control characters, cut after so many code points; nil where nothing is left.
    static func visible(_ text: String, longest: Int) -> String? {
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(longest) where isVisible(scalar) { plain.append(scalar) }
        return plain.isEmpty ? nil : String(plain)
    }

    /// An `error` code (RFC 6749, section 5.2) as a short word: letters, digits, `_`, `-` and `.`.
    static func code(_ text: String, hiding secrets: [Secret] = []) -> String {
        guard let clean = of(text, hiding: secrets), !clean.contains(mark) else { return "unknown_error" }
        let word = clean.unicodeScalars.filter { $0.isASCII && isRunCharacter($0) || $0 == "." }.prefix(64)
        let text = String(String.UnicodeScalarView(word))
        // What stood between the characters may have hidden a token.
        return word.isEmpty || scrubbed(text, hiding: secrets) != text ? "unknown_error" : text
    }

    private static func scrubbed(_ text: String, hiding secrets: [Secret]) -> String {
        var result = text
        for secret in secrets where secret.count >= 4 {
            for form in forms(of: secret) { result = result.replacing(form, with: mark) }
        }
        return replacingTokens(in: result)
    }

    /// As a login host may write what we sent it.
    private static func forms(of secret: Secret) -> [String] {
        let text = secret.text
        let hex = text.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        return [
            text, Form.encode(text), Base64URL.padded(text.utf8), Base64URL.encode(text.utf8), hex, hex.uppercased(),
        ]
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        default: true
        }
    }

    private static func replacingTokens(in text: String) -> String {
        var result = ""
        var run = ""
        for scalar in text.unicodeScalars {
            if isRunCharacter(scalar) || scalar == "." {
                run.unicodeScalars.append(scalar)
            } else {
                result += withoutTokens(run)
                run = ""
                result.unicodeScalars.append(scalar)
            }
        }
        return result + withoutTokens(run)
    }

    /// `run` holds run characters and dots only: a JWT, a host name, the end of a sentence.
    private static func withoutTokens(_ run: String) -> String {
        if run.hasPrefix("eyJ") && run.utf8.count >= 10 { return mark }
        return run.split(separator: ".", omittingEmptySubsequences: false)
            .map { looksLikeToken($0) ? mark : String($0) }
            .joined(separator: ".")
    }

    /// A long run is a token unless it reads like words: `unsupported_token_type`.
    private static func looksLikeToken(_ run: Substring) -> Bool {
        guard run.utf8.count >= 20 else { return false }
        if run.utf8.count >= 40 { return true }
        return !run.dropFirst().unicodeScalars.allSatisfy {
            ("a"..."z").contains($0) || $0 == "_" || $0 == "-"
        }
    }

    private static func isRunCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_", "+", "=": true
        default: false
        }
    }
}
