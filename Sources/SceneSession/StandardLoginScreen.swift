import CommandLine
import LinuxIO
import SceneModel
import TerminalScreen

/// How a login is presented where the program does not care: in the browser, on the terminal, or by its address in words.
@MainActor final class StandardLoginScreen {
    private let loop: EventLoop
    private var shown: String?
    private var terminal: TerminalLoginScreen?

    init(on loop: EventLoop) {
        self.loop = loop
    }

    func present(_ progress: LoginProgress, of controller: LoginScreenController) {
        if let terminal { return terminal.present() }
        guard progress.state == .presenting else { return }
        // Each address once, whatever else is told of it.
        let message = progress.identityProviderUri
        guard let address = message ?? progress.userCode ?? progress.loginScreen, address != shown else { return }
        shown = address
        guard let message else { return presentPage(address, of: controller) }
        // Where no app takes it, the login screen is there.
        LoginAddress.hand(message, on: loop) { [weak self, weak controller] in
            BlockQueue.add { if let controller { self?.presentPage(address, of: controller) } }
        }
    }

    private func presentPage(_ address: String, of controller: LoginScreenController) {
        guard address == shown else { return }
        guard let page = controller.progress.loginScreen else {
            return presentWithoutBrowser(address, of: controller)
        }
        LoginAddress.open(page, on: loop) { [weak self, weak controller] in
            if let controller { self?.presentWithoutBrowser(address, of: controller) }
        }
    }

    private func presentWithoutBrowser(_ address: String, of controller: LoginScreenController) {
        // Another one has come, or the login is over.
        guard address == shown else { return }
        terminal = TerminalLoginScreen(of: controller, on: loop)
        guard terminal == nil else { return }
        if let page = controller.progress.loginScreen { LoginAddress.write(page) }
        guard let code = controller.progress.userCode, let address = controller.progress.verificationUri else { return }
        StandardError.write(
            "To sign in, open \(Inert.text(address)) on any device and enter the code \(Inert.text(code)) there\n")
    }

    func failed(_ error: SceneError) {
        terminal?.failed(error)
    }

    func close() {
        shown = nil
        terminal?.close()
        terminal = nil
    }
}

// For the login screen of a terminal, the library's or that of a program with a window in one.
extension LoginScreenController {
    package func makeState(opensBrowser: Bool = false) -> LoginScreenState {
        let isRemote = !(SceneSession.environment["SSH_CONNECTION"] ?? "").isEmpty
        return LoginScreenState(loginHost: loginHost, acceptsPasting: isRemote, opensBrowser: opensBrowser)
    }

    package func update(_ state: inout LoginScreenState) {
        let bar = navigationBar.map { bar in
            TerminalScreen.NavigationBar(
                back: bar.backButton.map { .init($0.text) }, title: bar.titleItem?.text ?? "",
                settings: bar.settingsButton.map { .init($0.text) })
        }
        state.screenReceived(loginScreen, bar: bar)
        state.progressed(progress)
    }

    /// Asks for the login hosts anew: others may have been added elsewhere.
    package func refresh() {
        perform { _ in }
    }

    /// `change`: how the screen that the wish was made on comes to show what has become of it.
    package func fulfil(
        _ wish: LoginScreenWish,
        change: @escaping @MainActor @Sendable (@MainActor (inout LoginScreenState) -> Void) -> Void
    ) {
        switch wish {
        case .selectHost(let url): selectLoginHost(url: url)
        case .addHost(let url, let label):
            addLoginHost(url: url, label: label) { host in change { $0.hostAdded(host) } }
        case .removeHost(let url): removeLoginHost(url: url)
        case .switchTo(let account):
            perform { scene throws(SceneError) in try await scene.switchAccount(to: account) }
        case .handOver(let address):
            perform { scene throws(SceneError) in
                try await scene.handleResponse(url: address)
            } then: { isHandled in
                if !isHandled { change { $0.failed(LoginScreenState.foreignResponse) } }
            }
        case .openBrowser(let address): LoginAddress.open(address, on: scene.core.transport.loop)
        case .goBack: handleBackButtonAction()
        // A call that has failed is the program's to make again.
        case .tryAgain, .quit: break
        }
    }
}
