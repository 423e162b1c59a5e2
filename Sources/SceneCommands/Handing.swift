import CommandLine
import LinuxIO

/// Messages of scened's to apps that talk through URLs.
enum Handing {
    /// Has the desktop hand one to its app; else says that somebody has to.
    static func show(_ message: String, opens: Bool, _ context: Context) throws(CommandFailure) {
        if opens, var handed = Browser(handing: message), !handed.fails(within: .seconds(2)) { return }
        guard !context.wantsJSON else { return }
        try context.output.lines([
            "To tell the other app, open this address on its desktop:", "  " + Inert.text(message),
        ])
    }
}
