/// A font as a configuration names it: families and a size, `Helvetica 16` or `Open Sans, sans-serif 16`.
package struct CSSFont: Hashable, Sendable {
    static let sizes = 8.0...48.0

    /// In the order in which they are tried.
    var families: [String]
    /// CSS pixels.
    var size: Double?

    /// Nil where a family has characters that its name in a style sheet could not have unquoted, or the size is not from
    /// 8 to 48.
    package init?(_ text: String) {
        guard text.utf8.count <= 200 else { return nil }
        var rest = text[...]
        if let space = rest.lastIndex(of: " "), let first = rest[space...].dropFirst().first, first.isNumber {
            var digits = rest[space...].dropFirst()
            for unit in ["px", "pt"] where digits.hasSuffix(unit) { digits = digits.dropLast(2) }
            guard digits.utf8.count <= 6, digits.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 }),
                let size = Double(digits), Self.sizes.contains(size)
            else { return nil }
            self.size = size
            rest = rest[..<space]
        }
        families = rest.split(separator: ",", omittingEmptySubsequences: false).map {
            $0.split(separator: " ").joined(separator: " ")
        }
        guard families.allSatisfy(Self.isFamily) else { return nil }
    }

    private static func isFamily(_ name: String) -> Bool {
        guard let first = name.first, first.isLetter else { return false }
        return name.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || (48...57).contains(scalar.value) || scalar == " " || scalar == "-"
                || scalar == "_"
        }
    }

    private static let generic: Set<String> = [
        "serif", "sans-serif", "monospace", "cursive", "fantasy", "system-ui", "ui-serif", "ui-sans-serif",
        "ui-monospace", "ui-rounded", "math",
    ]

    /// The value of `font-family`; the reader's own font comes last.
    var family: String {
        let named = families.map { Self.generic.contains($0.lowercased()) ? $0.lowercased() : "\"\($0)\"" }
        return (named + ["system-ui", "sans-serif"]).joined(separator: ", ")
    }
}
