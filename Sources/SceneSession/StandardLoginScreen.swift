import LinuxIO
import SceneModel

/// How a login is presented where the program does not care: in the browser, or by its address in words.
@MainActor final class StandardLoginScreen {
    private let loop: EventLoop
    private var shown: String?

    init(on loop: EventLoop) {
        self.loop = loop
    }

    func present(_ progress: LoginProgress, of controller: LoginScreenController) {
        guard progress.state == .presenting else { return }
        if let code = progress.userCode, let address = progress.verificationUri, code != shown {
            shown = code
            StandardError.write("To sign in, open \(address) on any device and enter the code \(code) there\n")
        }
        guard let screen = progress.loginScreen, screen != shown else { return }
        shown = screen
        LoginAddress.open(screen, on: loop)
    }

    func failed(_ error: SceneError, of controller: LoginScreenController) {}

    func close() {}
}
