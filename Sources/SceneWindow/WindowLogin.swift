import SceneSession
import TerminalScreen

/// Presents a login in a part of the window, and not as the library would: as an app's author does it.
@MainActor final class WindowLogin: LoginScreenController {
    private weak var window: Window?

    init(scene: Scene, in window: Window?) {
        self.window = window
        super.init(scene: scene)
    }

    /// The window is there to go back to, whether or not anybody is signed in.
    override func shouldShowBackButton() -> Bool { true }

    override func didLoad() {
        window?.loginOpened(self)
    }

    override func present(_ progress: LoginProgress) {
        window?.loginChanged(self)
    }

    override func didFail(_ error: SceneError) {
        window?.state.failed(error)
    }

    override func didEnd(_ outcome: LoginScreenOutcome) {
        window?.loginClosed()
    }
}

extension Window {
    func loginOpened(_ controller: WindowLogin) {
        login = controller
        state.loginOpened(controller.makeState(opensBrowser: browsing.isPossible))
    }

    func loginChanged(_ controller: WindowLogin) {
        state.loginChanged { controller.update(&$0) }
        let progress = controller.progress
        browsing.open(progress.identityProviderUri ?? progress.loginScreen ?? progress.authorizationUri)
    }

    func loginClosed() {
        login = nil
        state.loginClosed()
    }

    func fulfil(_ wish: LoginScreenWish) {
        login?.fulfil(wish) { [weak self] change in self?.state.loginChanged(change) }
    }
}
