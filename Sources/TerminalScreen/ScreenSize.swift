import Glibc

/// In character cells.
package struct ScreenSize: Hashable, Sendable {
    package var columns: Int
    package var rows: Int

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    /// Whether there is room for empty rows and headings.
    package var isRoomy: Bool { rows >= 20 && columns >= 60 }
    package var margin: Int { columns >= 60 ? 1 : 0 }

    /// The terminal's; 80x24 where it does not say.
    package static func of(_ descriptor: Int32) -> ScreenSize {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return ScreenSize(columns: 80, rows: 24)
        }
        return ScreenSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }
}
