import SceneLogin
import SceneModel

// The keys of an app's [LoginScreen]. The screen can do without what cannot be used, so that is told and left out.

extension AppReader {
    mutating func readScreen(_ assignment: UnitFile.Assignment, _ file: String) {
        let value = assignment.value.isEmpty ? nil : assignment.value
        switch assignment.key {
        case "Title": app.screen.title = value ?? "Log In"
        case "ShowsNavigationBar": readBool(assignment, file) { $0.screen.showsNavigationBar = $1 }
        case "ShowsSettingsIcon": readBool(assignment, file) { $0.screen.showsSettingsIcon = $1 }
        case "ShowsScreen": readBool(assignment, file) { $0.appearance.showsScreen = $1 }
        case "ShowsBackButton":
            if assignment.value.lowercased() == "auto" {
                app.showsBackButton = nil
            } else {
                readBool(assignment, file, orElse: ", or auto") { $0.showsBackButton = $1 }
            }
        case "NavigationBarColor":
            app.screen.navigationBarColor = value
            app.appearance.barColor = color(assignment, file)
        case "NavigationBarTextColor":
            app.screen.navigationBarTextColor = value
            app.appearance.barTextColor = color(assignment, file)
        case "NavigationBarFont":
            app.screen.navigationBarFont = value
            app.appearance.barFont = value.flatMap { CSSFont($0) }
            if value != nil, app.appearance.barFont == nil {
                let text = "NavigationBarFont= is a family and a size from 8 to 48, as Helvetica 16; it is ignored"
                note(text, file, assignment.line, .warning)
            }
        case "Logo":
            app.screen.logo = value
            app.appearance.logo = asset(assignment, file, .image, "a PNG, JPEG, GIF, WebP or SVG picture")
        case "SettingsIcon":
            app.screen.settingsIcon = value
            app.appearance.settingsIcon = asset(assignment, file, .image, "a PNG, JPEG, GIF, WebP or SVG picture")
        case "StyleSheet":
            app.screen.styleSheet = value
            app.appearance.styleSheet = asset(
                assignment, file, .styleSheet, "a style sheet in UTF-8 without </style in it")
        default: unknown(assignment, "LoginScreen", file)
        }
    }

    /// The words that systemd takes for a boolean.
    mutating func readBool(
        _ assignment: UnitFile.Assignment, _ file: String, orElse more: String = "",
        _ set: (inout AppConfiguration, Bool) -> Void
    ) {
        switch assignment.value.lowercased() {
        case "yes", "true", "on", "1": set(&app, true)
        case "no", "false", "off", "0": set(&app, false)
        default: note("\(assignment.key)= is yes or no\(more)", file, assignment.line, .error)
        }
    }

    private mutating func color(_ assignment: UnitFile.Assignment, _ file: String) -> CSSColor? {
        if assignment.value.isEmpty { return nil }
        let color = CSSColor(assignment.value)
        if color == nil {
            let text = "\(assignment.key)= is a colour of CSS: a name, #rrggbb, rgb() or hsl(); it is ignored"
            note(text, file, assignment.line, .warning)
        }
        return color
    }

    private mutating func asset(
        _ assignment: UnitFile.Assignment, _ file: String, _ kind: Asset.Kind, _ wanted: String
    ) -> Asset? {
        let path = assignment.value
        if path.isEmpty { return nil }
        guard path.hasPrefix("/") else {
            note("\(assignment.key)= is an absolute path; it is ignored", file, assignment.line, .warning)
            return nil
        }
        switch SmallFile.bytes(path, limit: Asset.limit) {
        case .failure(let fault):
            note("\(assignment.key)=\(path) \(fault.text); it is ignored", file, assignment.line, .warning)
            return nil
        case .success(let content):
            if let asset = Asset(content, kind) { return asset }
            note("\(assignment.key)=\(path) is not \(wanted); it is ignored", file, assignment.line, .warning)
            return nil
        }
    }
}
