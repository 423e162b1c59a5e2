import Glibc

/// A colour as CSS writes one (CSS Color Module Level 4), taken apart: what reaches a style sheet is written anew from its
/// numbers, never as it was read.
package struct CSSColor: Hashable, Sendable {
    /// 0 to 255.
    package var red: Double
    package var green: Double
    package var blue: Double
    /// 0 to 1.
    package var alpha: Double

    /// A name, #rgb, #rgba, #rrggbb, #rrggbbaa, rgb(), rgba(), hsl() or hsla(); nil for anything else.
    package init?(_ text: String) {
        guard text.utf8.count <= 64 else { return nil }
        let text = text.lowercased()
        if let value = Self.named[text] {
            self.init(value, alpha: 1)
        } else if text == "transparent" {
            self.init(0, alpha: 0)
        } else if text.hasPrefix("#") {
            self.init(hexadecimal: text.dropFirst())
        } else {
            self.init(function: text)
        }
    }

    private init(_ value: UInt32, alpha: Double) {
        red = Double(value >> 16 & 255)
        green = Double(value >> 8 & 255)
        blue = Double(value & 255)
        self.alpha = alpha
    }

    private init?(hexadecimal digits: Substring) {
        let values = digits.compactMap { $0.isASCII ? $0.hexDigitValue : nil }.map(Double.init)
        guard values.count == digits.count else { return nil }
        switch values.count {
        case 3, 4:
            self.init(values.map { $0 * 17 })
        case 6, 8:
            self.init(stride(from: 0, to: values.count, by: 2).map { values[$0] * 16 + values[$0 + 1] })
        default: return nil
        }
    }

    /// Three or four numbers up to 255.
    private init(_ channels: [Double]) {
        red = channels[0]
        green = channels[1]
        blue = channels[2]
        alpha = channels.count > 3 ? channels[3] / 255 : 1
    }

    private init?(function text: String) {
        guard text.hasSuffix(")"), let open = text.firstIndex(of: "(") else { return nil }
        let inside = text[text.index(after: open)...].dropLast()
        guard let parts = Self.arguments(inside), parts.count == 3 || parts.count == 4 else { return nil }
        let numbers = parts.compactMap(Number.init)
        guard numbers.count == parts.count else { return nil }
        let alpha = numbers.count > 3 ? numbers[3] : Number(value: 1, unit: .none)
        guard alpha.unit != .degrees else { return nil }
        self.alpha = min(max(alpha.unit == .percent ? alpha.value / 100 : alpha.value, 0), 1)
        switch text[..<open] {
        case "rgb", "rgba":
            let channels = numbers.prefix(3).map { $0.unit == .percent ? $0.value / 100 * 255 : $0.value }
            guard !numbers.prefix(3).contains(where: { $0.unit == .degrees }) else { return nil }
            (red, green, blue) = (Self.channel(channels[0]), Self.channel(channels[1]), Self.channel(channels[2]))
        case "hsl", "hsla":
            guard numbers[0].unit != .percent, numbers[1].unit == .percent, numbers[2].unit == .percent else {
                return nil
            }
            (red, green, blue) = Self.rgb(hue: numbers[0].value, numbers[1].value / 100, numbers[2].value / 100)
        default: return nil
        }
    }

    /// Separated by commas, or by spaces with a slash before the alpha.
    private static func arguments(_ text: Substring) -> [Substring]? {
        func words(_ text: Substring) -> [Substring] { text.split(separator: " ") }
        if text.contains(",") {
            let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(words)
            return parts.allSatisfy { $0.count == 1 } ? parts.flatMap { $0 } : nil
        }
        let halves = text.split(separator: "/", omittingEmptySubsequences: false).map(words)
        guard halves.count <= 2, halves[0].count == 3, halves.count == 1 || halves[1].count == 1 else { return nil }
        return halves.flatMap { $0 }
    }

    private struct Number {
        enum Unit { case none, percent, degrees }

        var value: Double
        var unit: Unit

        init(value: Double, unit: Unit) {
            self.value = value
            self.unit = unit
        }

        init?(_ text: Substring) {
            let unit: Unit = text.hasSuffix("%") ? .percent : text.hasSuffix("deg") ? .degrees : .none
            let digits = text.dropLast(unit == .percent ? 1 : unit == .degrees ? 3 : 0)
            guard (1...12).contains(digits.utf8.count),
                digits.utf8.allSatisfy({ (48...57).contains($0) || $0 == 45 || $0 == 46 }),
                let value = Double(digits)
            else { return nil }
            self.init(value: value, unit: unit)
        }
    }

    private static func channel(_ value: Double) -> Double { min(max(value, 0), 255) }

    /// CSS Color Module Level 4, section 7.1.
    private static func rgb(hue: Double, _ saturation: Double, _ lightness: Double) -> (Double, Double, Double) {
        let saturation = min(max(saturation, 0), 1)
        let lightness = min(max(lightness, 0), 1)
        func channel(_ offset: Double) -> Double {
            var k = fmod(offset + hue / 30, 12)
            if k < 0 { k += 12 }
            return 255 * (lightness - saturation * min(lightness, 1 - lightness) * max(-1, min(k - 3, 9 - k, 1)))
        }
        return (channel(0), channel(8), channel(4))
    }

    /// As a style sheet writes it.
    package var css: String {
        let channels = [red, green, blue].map { String(Int($0.rounded())) }.joined(separator: " ")
        return alpha >= 1 ? "rgb(\(channels))" : "rgb(\(channels) / \((alpha * 1000).rounded() / 1000))"
    }

    /// WCAG 2.2, "relative luminance".
    private var luminance: Double {
        func linear(_ channel: Double) -> Double {
            let part = channel / 255
            return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    /// WCAG 2.2, "contrast ratio", from 1 to 21, of opaque colours.
    package func contrast(with other: CSSColor) -> Double {
        let (lighter, darker) = (max(luminance, other.luminance), min(luminance, other.luminance))
        return (lighter + 0.05) / (darker + 0.05)
    }

    /// Black or white, whichever can be read better on this.
    package var readable: CSSColor {
        let (black, white) = (CSSColor(0, alpha: 1), CSSColor(0xffffff, alpha: 1))
        return contrast(with: black) >= contrast(with: white) ? black : white
    }
}
