/// What stands in a login screen's navigation bar.
public struct NavigationBarItem: Hashable, Sendable {
    public var text: String

    public init(_ text: String) {
        self.text = text
    }
}

/// A login screen's navigation bar, as its controller makes it.
public struct NavigationBar: Hashable, Sendable {
    public var backButton: NavigationBarItem?
    public var titleItem: NavigationBarItem?
    public var settingsButton: NavigationBarItem?
    /// CSS colours; nil where neither the process nor the app's configuration has one.
    public var color: String?
    public var textColor: String?
    /// Family and size in pixels, as `Helvetica 16`.
    public var font: String?
}
