import CommandLine
import LinuxIO

/// A login screen's address: opened in the browser, or told.
enum LoginAddress {
    /// Opens it in the user's browser, or else writes it to standard error.
    @MainActor static func open(_ address: String, on loop: EventLoop) {
        open(address, on: loop) { write(address) }
    }

    /// `orElse`: there is no display, or no browser on it.
    @MainActor static func open(
        _ address: String, on loop: EventLoop, orElse: @escaping @MainActor @Sendable () -> Void
    ) {
        guard Browser.isReachable(SceneSession.environment), let browser = Browser(opening: address) else {
            return orElse()
        }
        loop.enqueue {
            browser.onEnd(on: loop) { hasFailed in if hasFailed { BlockQueue.add(orElse) } }
        }
    }

    static func write(_ address: String) {
        StandardError.write("To sign in, open this address in your browser: \(Inert.text(address))\n")
    }
}
