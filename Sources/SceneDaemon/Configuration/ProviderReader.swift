import SceneOAuth

// Keys of identity provider apps, and of those that ask them.

extension AppReader {
    mutating func readIdentityProvider(_ assignment: UnitFile.Assignment, _ file: String) {
        let (value, place) = (assignment.value, AppConfiguration.Place(file: file, line: assignment.line))
        switch assignment.key {
        case "IdentityProvider":
            app.identityProvider = value.isEmpty ? nil : named(value, assignment, file)
            app.identityProviderPlace = place
        case "IdentityProviderFor":
            Self.extend(&app.identityProviderFor, value)
            app.identityProviderFor = app.identityProviderFor.map { named($0, assignment, file) }
            app.identityProviderForPlace = place
        case "IdentityProviderUnit":
            app.unit = value.isEmpty ? nil : value
            if !value.isEmpty, !Self.isName(value, ending: ".service") {
                note(
                    "IdentityProviderUnit= is the name of a service, such as notes.service", file, assignment.line,
                    .error)
            }
        case "IdentityProviderDesktopEntry":
            app.desktopEntry = value.isEmpty ? nil : value
            app.desktopEntryPlace = place
            if !value.isEmpty, !Self.isName(value, ending: ".desktop") {
                note(
                    "IdentityProviderDesktopEntry= is the file name of a desktop entry, such as "
                        + "com.example.notes.desktop", file, assignment.line, .error)
            }
        default:
            app.messageScheme = value.isEmpty ? nil : value.lowercased()
            if !value.isEmpty, !IdentityProviderMessage.isScheme(value) {
                note("MessageScheme= is a private scheme, such as com.example.notes", file, assignment.line, .error)
            }
        }
    }

    /// An app's name, or a scheme and a colon.
    private mutating func named(_ name: String, _ assignment: UnitFile.Assignment, _ file: String) -> String {
        guard name.hasSuffix(":") else { return name }
        if !IdentityProviderMessage.isScheme(name.dropLast()) {
            let text = "\(assignment.key)= names an app, or a private scheme with its colon, such as com.example.notes:"
            note(text, file, assignment.line, .error)
        }
        return name.lowercased()
    }

    /// systemd.unit(5); a desktop entry's has fewer characters.
    private static func isName(_ name: String, ending: String) -> Bool {
        name.hasSuffix(ending) && (ending.utf8.count + 1...255).contains(name.utf8.count) && !name.hasPrefix("-")
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ":-_.\\@".contains($0)) }
    }
}
