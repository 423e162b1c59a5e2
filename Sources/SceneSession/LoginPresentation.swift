import LinuxIO
import SceneModel
import SceneProtocol

/// What a scene presents of the login that its calls wait for: by one controller, however many they are.
final class LoginPresentation: Sendable {
    fileprivate struct Call {
        var number: Int
        var scene: Scene
        /// Where it asked for the login, if not at the selected one.
        var loginHost: String?
        var progress = LoginProgress(.waiting)
    }

    fileprivate struct State {
        /// Those without a `progress` block of their own.
        var calls: [Call] = []
        var number = 0
        /// How many logins that were presented have ended, and how the last call did.
        var ends = 0
        var outcome = LoginScreenOutcome.elsewhere
        var isShowing = false

        /// How the login stands that this scene is to present.
        var presented: Call? { calls.first { $0.progress.state == .presenting } }
        /// The user is back from it.
        var authorized: Call? { calls.first { $0.progress.state == .authorizing } }
    }

    private let state = Locked(State())
    @MainActor private var controller: LoginScreenController?
    /// What `ends` was when it was created.
    @MainActor private var ends = 0
    @MainActor private var isLoading = false
    @MainActor private var hostChanges: Registration?

    // MARK: Calls, from any thread

    func began(_ scene: Scene, _ options: LoginOptions) -> Int {
        state.withLock { state in
            state.number += 1
            state.calls.append(Call(number: state.number, scene: scene, loginHost: options.loginHost))
            return state.number
        }
    }

    func progressed(_ call: Int, _ progress: LoginProgress) {
        state.withLock { state in
            guard let index = state.calls.firstIndex(where: { $0.number == call }) else { return }
            state.calls[index].progress = progress
        }
        BlockQueue.add { self.update() }
    }

    /// Returns when the call's login is no longer shown: whoever made it may write to the terminal.
    func ended(_ call: Int, _ result: Result<Account, SceneError>) async {
        let isShowing = state.withLock { state in
            state.ended(call, result)
            return state.isShowing
        }
        // Nothing is shown from here on, and a program that keeps its main thread busy need not be waited for.
        guard isShowing else { return }
        await withCheckedContinuation { continuation in
            BlockQueue.add {
                self.update()
                continuation.resume()
            }
        }
    }

    // MARK: The controller, on the main actor

    @MainActor private func update() {
        let (call, ended, outcome) = state.withLock { [ends] state in
            (
                state.presented ?? (state.isShowing ? state.authorized : nil), state.ends != ends,
                state.ends != ends || state.calls.isEmpty ? state.outcome : .elsewhere
            )
        }
        if call == nil || ended { end(outcome) }
        guard let call else { return }
        if let controller { return present(call.progress, by: controller) }
        guard !isLoading else { return }
        isLoading = true
        load(call.scene) { screen in
            self.isLoading = false
            // A login does not depend on its looks: where they cannot be had, the usual ones do.
            self.open((try? screen.get()) ?? LoginScreen())
        }
    }

    /// The call has gone on meanwhile: it may have ended, or need no screen any more.
    @MainActor private func open(_ screen: LoginScreen) {
        let (call, ends) = state.withLock { state in
            state.isShowing = state.presented != nil
            return (state.presented, state.ends)
        }
        guard let call else { return }
        self.ends = ends
        let core = call.scene.core
        let controller = core.makeController(for: call.scene)
        self.controller = controller
        hostChanges = .add(.loginHostChange { [weak self] _ in self?.loginHostsChanged() }, to: call.scene)
        controller.loginScreen = core.shownConfiguration.applied(to: screen)
        controller.progress = call.progress
        controller.loginHost = call.loginHost
        controller.didLoad()
        controller.present(call.progress)
    }

    @MainActor private func present(_ progress: LoginProgress, by controller: LoginScreenController) {
        // Several calls tell the same, and each for how long it waits itself.
        var (told, known) = (progress, controller.progress)
        (told.expiresInSeconds, known.expiresInSeconds) = (nil, nil)
        guard told != known else { return }
        controller.progress = progress
        controller.present(progress)
    }

    @MainActor private func end(_ outcome: LoginScreenOutcome) {
        // Only then: the calls that end meanwhile wait for it.
        defer { state.withLock { $0.isShowing = false } }
        hostChanges?.cancel()
        hostChanges = nil
        guard let controller else { return }
        self.controller = nil
        controller.ended(outcome)
    }

    /// Others may have been added, or another one selected.
    @MainActor private func loginHostsChanged() {
        guard let scene = controller?.scene else { return }
        load(scene) { [weak self] in self?.screenChanged($0) }
    }

    @MainActor func screenChanged(_ screen: Result<LoginScreen, SceneError>) {
        guard let controller, let screen = try? screen.get() else { return }
        let shown = controller.scene.core.shownConfiguration.applied(to: screen)
        guard shown != controller.loginScreen else { return }
        controller.loginScreen = shown
        controller.present(controller.progress)
    }

    @MainActor private func load(
        _ scene: Scene, then: @escaping @MainActor @Sendable (Result<LoginScreen, SceneError>) -> Void
    ) {
        Task.detached {
            let screen = await Result.of { () throws(SceneError) in try await scene.loginScreen() }
            BlockQueue.add { then(screen) }
        }
    }
}

extension LoginPresentation.State {
    /// The others that waited for the same login have not been told of its end yet, but it is not to be shown any more.
    fileprivate mutating func ended(_ number: Int, _ result: Result<Account, SceneError>) {
        guard let index = calls.firstIndex(where: { $0.number == number }) else { return }
        let progress = calls.remove(at: index).progress
        switch result {
        case .success(let account): outcome = .signedIn(account)
        case .failure(let error): outcome = .failed(error)
        }
        guard result.endsLogin, progress.isPresented else { return }
        ends += 1
        for index in calls.indices where calls[index].progress.isSameLogin(as: progress) {
            calls[index].progress = LoginProgress(.waiting)
        }
    }
}

extension Result<Account, SceneError> {
    /// And not only this call's wait for it.
    fileprivate var endsLogin: Bool {
        switch self {
        case .success: true
        case .failure(.failure(let failure)): failure != .loginTimedOut
        case .failure: false
        }
    }
}

extension LoginProgress {
    fileprivate var isPresented: Bool { state == .presenting || state == .authorizing }

    fileprivate func isSameLogin(as other: LoginProgress) -> Bool {
        state == .authorizing
            || isPresented
                && (loginScreen, userCode, verificationUri)
                    == (other.loginScreen, other.userCode, other.verificationUri)
    }
}
