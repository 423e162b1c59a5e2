extension StringProtocol {
    /// Columns of a terminal that the text takes: wide characters two, combining and joined ones none.
    package var displayWidth: Int {
        var width = 0
        var followsEmoji = false
        var joins = false
        for scalar in unicodeScalars {
            // What a zero width joiner ties to an emoji is drawn as one with it.
            if !joins { width += scalar.displayWidth }
            joins = scalar.value == 0x200D && followsEmoji
            if scalar.displayWidth > 0 { followsEmoji = scalar.properties.isEmoji }
        }
        return width
    }

    /// The longest beginning that fits into `columns`, with `…` as its last where something had to go.
    package func shortened(to columns: Int) -> String {
        guard displayWidth > columns else { return String(self) }
        guard columns > 0 else { return "" }
        var result = ""
        var width = 0
        for character in self {
            let more = String(character).displayWidth
            if width + more > columns - 1 { break }
            result.append(character)
            width += more
        }
        return result + "…"
    }

    package func padded(to columns: Int) -> String {
        String(self) + String(repeating: " ", count: Swift.max(0, columns - displayWidth))
    }
}

extension Unicode.Scalar {
    var displayWidth: Int {
        if value < 0x300 { return 1 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        // Vowels and final consonants of a Hangul syllable join the consonant before; so do skin tones.
        if 0x1160...0x11FF ~= value || 0x1F3FB...0x1F3FF ~= value { return 0 }
        // Two regional indicators make one flag.
        if 0x1F1E6...0x1F1FF ~= value { return 1 }
        return isWide ? 2 : 1
    }

    /// East_Asian_Width W and F (UAX 11), and emoji that are drawn as such.
    private var isWide: Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
            0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF, 0x20000...0x3FFFD:
            true
        default: properties.isEmojiPresentation
        }
    }
}
