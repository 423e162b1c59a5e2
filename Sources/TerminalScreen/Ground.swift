import CommandLine
import SceneModel

/// Colours of the program's own, as near as the terminal has them; nil is the terminal's.
package struct Ground: Hashable, Sendable {
    package var background: CSSColor?
    package var text: CSSColor?

    /// Nil where nothing would differ. What is hardly opaque does not hide the terminal's own.
    package init?(background: CSSColor?, text: CSSColor?) {
        self.background = background.flatMap { $0.alpha < 0.5 ? nil : $0 }
        self.text = text.flatMap { $0.alpha < 0.5 ? nil : $0 } ?? self.background?.readable
        if self.background == nil, self.text == nil { return nil }
    }

    /// Black on white, as a camera reads it best.
    package static let paper = Ground(background: CSSColor("white"), text: CSSColor("black"))

    /// Of "select graphic rendition" (ECMA-48, section 8.3.117; ISO 8613-6 for more than sixteen colours).
    func parameters(_ colors: Terminal.Colors) -> String {
        switch colors {
        case .all:
            [background.map { "48;2;\($0.bytes)" }, text.map { "38;2;\($0.bytes)" }].compactMap { $0 }
                .joined(separator: ";")
        case .palette: parameters(Self.palette) { "\($1 ? 48 : 38);5;\($0 + 16)" }
        case .sixteen:
            parameters(Self.sixteen) { index, isBackground in
                String((isBackground ? 10 : 0) + (index < 8 ? 30 + index : 82 + index))
            }
        }
    }

    private func parameters(_ table: [CSSColor], _ parameter: (Int, _ isBackground: Bool) -> String) -> String {
        let ground = background.map { Self.nearest(to: $0, in: table) }
        var ink = text.map { Self.nearest(to: $0, in: table) }
        // Two that fall together could not be read.
        if let ground, ink == ground { ink = Self.nearest(to: table[ground].readable, in: table) }
        return [ground.map { parameter($0, true) }, ink.map { parameter($0, false) }].compactMap { $0 }
            .joined(separator: ";")
    }

    private static func nearest(to color: CSSColor, in table: [CSSColor]) -> Int {
        table.indices.min { table[$0].distance(to: color) < table[$1].distance(to: color) } ?? 0
    }

    /// As xterm has them.
    private static let sixteen = [
        "#000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5", "#7f7f7f", "#f00",
        "#0f0", "#ff0", "#5c5cff", "#f0f", "#0ff", "#fff",
    ].compactMap { CSSColor($0) }

    /// A cube of six steps and 24 greys: what every terminal with 256 colours has at 16 and above.
    private static let palette: [CSSColor] = {
        let steps = [0, 95, 135, 175, 215, 255]
        let cube = steps.flatMap { red in steps.flatMap { green in steps.map { (red, green, $0) } } }
        let greys = (0..<24).map { (8 + 10 * $0, 8 + 10 * $0, 8 + 10 * $0) }
        return (cube + greys).compactMap { CSSColor("rgb(\($0.0) \($0.1) \($0.2))") }
    }()
}

extension CSSColor {
    fileprivate var bytes: String {
        [red, green, blue].map { String(Int($0.rounded())) }.joined(separator: ";")
    }

    /// Squared, weighted as the eye sees it, roughly.
    fileprivate func distance(to other: CSSColor) -> Double {
        let (red, green, blue) = (red - other.red, green - other.green, blue - other.blue)
        return 3 * red * red + 4 * green * green + 2 * blue * blue
    }
}
