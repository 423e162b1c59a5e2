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
        guard let screen = progress.loginScreen, screen != shown else { return }
        shown = screen
        guard Browser.isReachable(SceneSession.environment), let browser = Browser(opening: screen) else {
            return Self.write(screen)
        }
        loop.enqueue { [loop] in
            browser.onEnd(on: loop) { hasFailed in if hasFailed { Self.write(screen) } }
        }
    }

    nonisolated private static func write(_ screen: String) {
        StandardError.write("To sign in, open this address in your browser: \(screen)\n")
    }
}
