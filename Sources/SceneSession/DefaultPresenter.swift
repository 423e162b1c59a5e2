import LinuxIO
import SceneModel

/// Opens login screens, or names the code for another device, for programs that do not show them their own way: each once.
@MainActor final class DefaultPresenter {
    private let loop: EventLoop
    private var shown: String?

    nonisolated init(on loop: EventLoop) {
        self.loop = loop
    }

    func show(_ progress: LoginProgress) {
        guard progress.state == .presenting else { return }
        if let code = progress.userCode, let address = progress.verificationUri, code != shown {
            shown = code
            StandardError.write("To sign in, open \(address) on any device and enter the code \(code) there\n")
        }
        if let message = progress.identityProviderUri {
            guard message != shown else { return }
            shown = message
            // Where no app has the scheme, the login screen is there.
            return Self.hand(message, on: loop) { [weak self] in
                BlockQueue.add { self?.open(progress.loginScreen) }
            }
        }
        open(progress.loginScreen)
    }

    private func open(_ address: String?) {
        guard let screen = address, screen != shown else { return }
        shown = screen
        guard Browser.isReachable(SceneSession.environment), let browser = Browser(opening: screen) else {
            return Self.write(screen)
        }
        loop.enqueue { [loop] in
            browser.onEnd(on: loop) { hasFailed in if hasFailed { Self.write(screen) } }
        }
    }

    /// Has the desktop hand a message of scened's to the app that it is for.
    nonisolated static func hand(
        _ message: String, on loop: EventLoop, orElse: @escaping @Sendable () -> Void
    ) {
        guard Browser.isReachable(SceneSession.environment), let browser = Browser(handing: message) else {
            return orElse()
        }
        loop.enqueue { browser.onEnd(on: loop) { hasFailed in if hasFailed { orElse() } } }
    }

    nonisolated static func hand(_ message: String?, on loop: EventLoop) {
        guard let message else { return }
        hand(message, on: loop) { StandardError.write("To go on, open this address with your desktop: \(message)\n") }
    }

    nonisolated private static func write(_ screen: String) {
        StandardError.write("To sign in, open this address in your browser: \(screen)\n")
    }
}
