import Glibc

/// In character cells.
struct ScreenSize: Equatable {
    static let least = ScreenSize(columns: 40, rows: 12)

    var columns: Int
    var rows: Int

    /// Whether there is room for empty rows and headings.
    var isRoomy: Bool { rows >= 20 && columns >= 60 }
    var margin: Int { columns >= 60 ? 1 : 0 }

    /// The terminal's; 80x24 where it does not say.
    static func of(_ descriptor: Int32) -> ScreenSize {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return ScreenSize(columns: 80, rows: 24)
        }
        return ScreenSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }
}
