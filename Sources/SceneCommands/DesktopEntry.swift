import CommandLine
import Glibc

/// A desktop entry that makes this program the one for a scheme (Desktop Entry Specification, MimeType and Exec;
/// shared-mime-info, x-scheme-handler).
struct DesktopEntry {
    let scheme: String

    /// Throws for what is no private scheme: taking http over would break the user's browser.
    init(scheme: String, helpLine: String) throws(CommandFailure) {
        guard Self.isScheme(scheme), scheme.utf8.count <= 128, scheme.contains(".") else {
            throw CommandFailure(
                .usage, "\(Inert.quoted(scheme)) is no private scheme like com.example.notes", suggestion: helpLine)
        }
        self.scheme = scheme.lowercased()
    }

    /// RFC 3986, section 3.1.
    static func isScheme(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { isLetter($0) || (48...57).contains($0) || "+-.".utf8.contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (65...90).contains(byte) || (97...122).contains(byte) }

    var text: String {
        """
        [Desktop Entry]
        Type=Application
        Name=Sign-in (\(scheme))
        Comment=Hands what a login host answers to scened
        Exec=\(Self.quoted(Self.program)) open %u
        MimeType=x-scheme-handler/\(scheme);
        NoDisplay=true
        Terminal=false
        StartupNotify=false

        """
    }

    /// Where this program is: a desktop need not have it on its PATH.
    private static var program: String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count)
        guard count > 0, count < path.count else { return "scenectl" }
        return String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// An argument of Exec. Only where it has to be: xdg-open takes quotes for a part of the name.
    private static func quoted(_ argument: String) -> String {
        let isPlain = argument.utf8.allSatisfy {
            isLetter($0) || (48...57).contains($0) || "/._-+".utf8.contains($0)
        }
        if isPlain { return argument }
        let escaped = argument.map { character in
            switch character {
            case "\"", "`", "$", "\\": "\\\(character)"
            case "%": "%%"
            default: String(character)
            }
        }
        // As a value of the file it has its backslashes doubled once more.
        return "\"" + escaped.joined().replacing("\\", with: "\\\\") + "\""
    }
}
