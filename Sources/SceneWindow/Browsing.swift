import LinuxIO

/// Opens login screens in the user's browser, each address once, where there is a display.
@MainActor final class Browsing {
    let isPossible: Bool
    private var opened: String?
    /// Kept, as its process is waited for through it.
    private var browser: Browser?

    init(environment: [String: String]) {
        isPossible = Browser.isReachable(environment)
    }

    func open(_ address: String?) {
        guard isPossible, let address, address != opened else { return }
        opened = address
        _ = browser?.hasFailed()
        browser = Browser(opening: address) ?? Browser(handing: address)
    }
}
