import Glibc
import SceneSession
import TerminalScreen

/// A window of an app: its scene, its state and where it is shown.
@MainActor final class Window {
    let scene: Scene
    private let display: any Display

    var state: WindowState {
        didSet { if state != oldValue { display.show(state) } }
    }

    let browsing: Browsing
    /// What shows a login in this window.
    var login: WindowLogin?
    /// Of the calls that wait for a login this window makes one at a time.
    var waiting: WaitingCall?
    var calls = 0
    /// The current user was signed out while another call waited.
    var owesLogout = false
    /// The login host gives no code for another device.
    var lacksDeviceFlow = false
    /// The last of them ended because scened went away.
    var wasInterrupted = false

    init(_ scene: Scene, state: WindowState, display: any Display, browsing: Browsing) {
        self.scene = scene
        self.state = state
        self.display = display
        self.browsing = browsing
    }

    /// Lives until the user or a signal ends it; the exit code.
    func run(_ inputs: AsyncStream<Input>) async -> Int32 {
        state.connected(scene: scene.id)
        scene.loginScreenCreationBlock = { [weak self] scene in WindowLogin(scene: scene, in: self) }
        AuthHelper.registerBlock(forCurrentUserChangeNotifications: scene) { [weak self] event in
            self?.state.told(event.current.map { "the current user is \($0.name)" } ?? "there is no current user")
        }
        AuthHelper.registerBlock(forLogoutNotifications: scene) { [weak self] in self?.loggedOut() }
        let tasks = [Task { await follow() }, Task { await watchPresence() }]
        defer {
            for task in tasks { task.cancel() }
            waiting?.task.cancel()
            scene.close()
        }
        wait(for: .ifRequired)
        for await input in inputs {
            if let code = received(input) { return code }
        }
        return ExitCode.success.rawValue
    }

    private func received(_ input: Input) -> Int32? {
        switch input {
        case .terminal(.key(let key)):
            let view = state.login?.view
            let wish = state.pressed(key)
            if view == .main, state.login?.view == .hosts { login?.refresh() }
            guard let wish else { return nil }
            if wish == .quit { return ExitCode.success.rawValue }
            fulfil(wish)
        case .terminal(.signal(let signal)): return display.received(signal)
        case .terminal(.keyboardGone): return 128 + SIGHUP
        case .scene: break
        }
        return nil
    }

    // MARK: Events

    private func follow() async {
        for await event in scene.events {
            state.happened(event, time: LocalTime.now)
            // The login host has refused the current user's grant: whoever sits here is asked.
            if event.kind == .loginRequired, event.account != nil, event.account?.id == state.snapshot.current?.id {
                if waiting == nil { wait(for: .ifRequired) }
            }
        }
    }

    private func loggedOut() {
        if waiting == nil { wait(for: .afterLogout) } else { owesLogout = true }
    }

    /// The library comes back by itself and does not tell; so it is asked, and does not answer while scened is away.
    private func watchPresence() async {
        while !Task.isCancelled {
            let late = Task {
                try? await Task.sleep(for: .milliseconds(1500))
                if !Task.isCancelled { state.presence = .away }
            }
            do throws(SceneError) {
                _ = try await scene.accounts()
                late.cancel()
                answered()
            } catch {
                late.cancel()
                if case .notRunning = error { state.presence = .away } else { answered() }
            }
            try? await Task.sleep(for: .seconds(1))
        }
    }

    private func answered() {
        guard state.presence == .away else { return }
        state.presence = .connected
        state.told("scened is back")
        if waiting == nil, wasInterrupted { wait(for: .ifRequired) }
    }
}
