import CQRencode
import CommandLine

/// A QR code (ISO/IEC 18004) as lines for a terminal: two modules to a character, one above the other.
package struct QRCode {
    /// Modules from side to side.
    package let size: Int
    private let isDark: [Bool]

    /// Nil where the text is too long for one (QRcode_encodeString).
    package init?(_ text: String) {
        guard let code = QRcode_encodeString(text, 0, QR_ECLEVEL_L, QR_MODE_8, 1) else { return nil }
        defer { QRcode_free(code) }
        guard let data = code.pointee.data else { return nil }
        size = Int(code.pointee.width)
        isDark = (0..<size * size).map { data[$0] & 1 == 1 }
    }

    /// Within `columns` and `rows`, with the widest margin that has room: 4 modules as it should be, or 2, which readers
    /// accept. Nil where there is no room.
    ///
    /// Black on white; without colours as it looks right on a dark background.
    package func lines(columns: Int, rows: Int, usesColor: Bool) -> [Line]? {
        guard let margin = [4, 2].first(where: { size + 2 * $0 <= columns && (size + 2 * $0 + 1) / 2 <= rows }) else {
            return nil
        }
        return stride(from: -margin, to: size + margin, by: 2).map { y in
            let line = (-margin..<size + margin).map { x -> Character in
                switch (isInk(x, y, usesColor), isInk(x, y + 1, usesColor)) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }
            return Line(String(line)).on(usesColor ? .paper : nil)
        }
    }

    /// Whether the module is drawn: a dark one with colours, a light one without.
    private func isInk(_ x: Int, _ y: Int, _ usesColor: Bool) -> Bool {
        let isInside = (0..<size).contains(x) && (0..<size).contains(y)
        return (isInside && isDark[y * size + x]) == usesColor
    }
}
