import SceneModel

/// How the app wants its login screen to look, read and checked.
package struct Appearance: Hashable, Sendable {
    package var barColor: CSSColor?
    package var barTextColor: CSSColor?
    package var barFont: CSSFont?
    package var styleSheet: Asset?
    package var logo: Asset?
    package var settingsIcon: Asset?
    /// Without, the screen's address leads straight on to the login host, unless there is something to tell.
    package var showsScreen = true

    package init() {}

    /// The style sheet's variables, from checked values only.
    var variables: String {
        var rules: [String] = []
        let text = barTextColor ?? barColor.flatMap { $0.alpha >= 1 ? $0.readable : nil }
        if let barColor { rules.append("--bar: \(barColor.css);") }
        if let text { rules.append("--bar-text: \(text.css);") }
        if let barFont { rules.append("--bar-font: \(barFont.family);") }
        if let size = barFont?.size { rules.append("--bar-size: \(size)px;") }
        return rules.isEmpty ? "" : ":root { \(rules.joined(separator: " ")) }"
    }
}
