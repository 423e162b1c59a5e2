/// Text from outside that is made harmless for a terminal: what could move the cursor, change colours or the order
/// of letters, or hide, is shown as an escape.
package enum Inert {
    /// `\x1b` for a control character, `\u202e` for an invisible or ordering one.
    package static func text(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isActive) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if isActive(scalar) {
                result.append(contentsOf: escape(scalar).unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }

    /// For use within a sentence. Cut after 80 characters.
    package static func quoted(_ text: String) -> String {
        let shown = text.count > 80 ? text.prefix(80) + "…" : text[...]
        return "'" + Inert.text(String(shown)) + "'"
    }

    /// A JSON text that says the same, with the same characters written as JSON escapes. In JSON such characters
    /// stand within strings only.
    package static func json(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isActive) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isActive(scalar) {
                for unit in String(scalar).utf16 { result += "\\u" + hexadecimal(UInt32(unit), 4) }
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func isActive(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x20 || scalar.value == 0x7F { return true }
        if scalar.isASCII { return false }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        case .format: return !isVisible(format: scalar.value)
        default: return false
        }
    }

    /// The joiners, which shape letters and emoji, and number signs of Arabic, Syriac and Kaithi.
    private static func isVisible(format value: UInt32) -> Bool {
        switch value {
        case 0x200C...0x200D, 0x0600...0x0605, 0x06DD, 0x070F, 0x0890...0x0891, 0x08E2, 0x110BD, 0x110CD: true
        default: false
        }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar.value {
        case ...0xFF: "\\x" + hexadecimal(scalar.value, 2)
        case ...0xFFFF: "\\u" + hexadecimal(scalar.value, 4)
        default: "\\u{" + hexadecimal(scalar.value, 5) + "}"
        }
    }

    private static func hexadecimal(_ value: UInt32, _ digits: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
