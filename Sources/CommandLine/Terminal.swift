import Glibc

/// What a descriptor can show.
package struct Terminal: Equatable, Sendable {
    package enum Colors: Comparable, Sendable {
        case sixteen, palette, all
    }

    package var isTerminal: Bool
    package var usesColor: Bool
    /// How many there are, where they are used: those of ECMA-48, 256, or all of 24 bits.
    package var colors = Colors.sixteen
    /// Whether a line can be drawn again in place.
    package var redraws: Bool
    /// Columns; 80 where that is not known.
    package var width: Int
    /// Rows; 24 where that is not known.
    package var height: Int

    package init(
        isTerminal: Bool = false, usesColor: Bool = false, redraws: Bool = false, width: Int = 80, height: Int = 24
    ) {
        self.isTerminal = isTerminal
        self.usesColor = usesColor
        self.redraws = redraws
        self.width = width
        self.height = height
    }

    /// Colours need a terminal that is not `dumb`, and no `NO_COLOR` in the environment (https://no-color.org).
    package init(of descriptor: Int32, environment: [String: String]) {
        isTerminal = isatty(descriptor) == 1
        redraws = isTerminal && environment["TERM"].map { $0 != "dumb" } ?? false
        usesColor = redraws && (environment["NO_COLOR"] ?? "").isEmpty
        colors = Self.colors(environment)
        (width, height) = (80, 24)
        var size = winsize()
        guard isTerminal, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return }
        if size.ws_col > 0 { width = Int(size.ws_col) }
        if size.ws_row > 0 { height = Int(size.ws_row) }
    }

    private static func colors(_ environment: [String: String]) -> Colors {
        let name = environment["TERM"] ?? ""
        if ["truecolor", "24bit"].contains(environment["COLORTERM"]) || name.hasSuffix("-direct") { return .all }
        return name.contains("256color") ? .palette : .sixteen
    }

    package func styled(_ text: String, _ style: Style?) -> String {
        guard let style, usesColor, !text.isEmpty else { return text }
        return "\u{1b}[\(style.rawValue)m\(text)\u{1b}[0m"
    }
}

/// ECMA-48 renditions, by what they are used for.
package enum Style: Int, Sendable {
    case heading = 1
    case faint = 2
    case bad = 31
    case good = 32
    case warning = 33
}
