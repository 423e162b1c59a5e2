import CommandLine
import LinuxIO

/// What a login has opened: a login screen's address in the browser, a message by the desktop. Or it is told.
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

    /// Has the desktop hand a message of scened's to the app that it is for. `orElse`: there is no display, or no app
    /// that takes it.
    static func hand(_ message: String, on loop: EventLoop, orElse: @escaping @Sendable () -> Void) {
        guard Browser.isReachable(SceneSession.environment), let browser = Browser(handing: message) else {
            return orElse()
        }
        loop.enqueue { browser.onEnd(on: loop) { hasFailed in if hasFailed { orElse() } } }
    }

    static func hand(_ message: String?, on loop: EventLoop) {
        guard let message else { return }
        hand(message, on: loop) {
            StandardError.write("To go on, open this address with your desktop: \(Inert.text(message))\n")
        }
    }

    static func write(_ address: String) {
        StandardError.write("To sign in, open this address in your browser: \(Inert.text(address))\n")
    }
}
