import SceneModel

/// Makes text from a login host fit to be shown and logged.
enum ScrubbedText {
    static let mark = "[removed]"
    private static let longest = 200

    /// Without control characters and whatever looks like a token: the secrets themselves, JWTs, long runs of
    /// base64url. At most 200 characters; nil where nothing is left.
    static func of(_ text: String, hiding secrets: [Secret] = []) -> String? {
        guard var result = visible(text, longest: 8192) else { return nil }
        for secret in secrets where secret.count >= 4 {
            let text = secret.text
            result = result.replacing(text, with: mark)
            result = result.replacing(Form.encode(text), with: mark)
        }
        result = replacingTokens(in: result)
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
        return word.isEmpty ? "unknown_error" : String(String.UnicodeScalarView(word))
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
