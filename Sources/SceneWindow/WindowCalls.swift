import SceneSession

/// A call that ends when somebody is signed in.
struct WaitingCall {
    enum Kind {
        case ifRequired, another, afterLogout
    }

    var number: Int
    var kind: Kind
    var task: Task<Void, Never>
}

extension Window {
    // MARK: Calls that wait for a login

    /// In the place of one that is still under way.
    func wait(for kind: WaitingCall.Kind) {
        waiting?.task.cancel()
        calls += 1
        let number = calls
        wasInterrupted = false
        state.isWaiting = true
        let task = Task {
            do throws(SceneError) {
                try await login(kind)
                ended(number, kind, nil)
            } catch {
                ended(number, kind, error)
            }
        }
        waiting = WaitingCall(number: number, kind: kind, task: task)
    }

    /// Where no browser can be opened, by a code for another device, if the login host has one.
    private func login(_ kind: WaitingCall.Kind) async throws(SceneError) {
        // The one that another window has begun may fail for that, too.
        for _ in 0..<5 {
            do throws(SceneError) {
                return try await login(kind, browsing.isPossible || lacksDeviceFlow ? nil : .device)
            } catch .failure(let failure) where failure.lacksDeviceFlow {
                lacksDeviceFlow = true
            }
        }
        try await login(kind, nil)
    }

    private func login(
        _ kind: WaitingCall.Kind, _ presentation: LoginOptions.Presentation?
    ) async throws(SceneError) {
        var options = LoginOptions()
        options.presentation = presentation
        switch kind {
        case .ifRequired: try await scene.loginIfRequired(options: options)
        case .afterLogout: try await scene.handleLogout(options: options)
        case .another:
            // Else the login host would sign the same user in again, unasked.
            options.force = true
            try await scene.login(options: options)
        }
    }

    private func ended(_ number: Int, _ kind: WaitingCall.Kind, _ error: SceneError?) {
        guard waiting?.number == number else { return }
        waiting = nil
        state.loginEnded(error)
        switch error {
        case .notRunning, .connectionLost: wasInterrupted = true
        default: break
        }
        // Both other kinds end with a current user, or because nobody wants one.
        if kind == .another, owesLogout { wait(for: .afterLogout) }
        owesLogout = false
    }

    // MARK: What the user wishes

    func fulfil(_ wish: Wish) {
        switch wish {
        case .signIn: wait(for: .ifRequired)
        case .signInAnother: wait(for: .another)
        case .cancelLogin: perform { scene throws(SceneError) in try await scene.cancelLogin() }
        case .fetchToken:
            perform { scene throws(SceneError) in TokenText.text(try await scene.accessToken()) }
        case .switchTo(let account):
            perform { scene throws(SceneError) in try await scene.switchAccount(to: account) }
        case .logout(let account):
            perform { scene throws(SceneError) in
                LogoutText.text(try await scene.logout(account))
            }
        case .logoutAll:
            perform { scene throws(SceneError) in
                LogoutText.text(try await scene.logoutAll())
            }
        case .login(let wish): fulfil(wish)
        case .quit: break
        }
    }

    /// Shows what the call has to say, or why it failed.
    private func perform(_ call: @escaping @MainActor (Scene) async throws(SceneError) -> String) {
        Task {
            do throws(SceneError) {
                state.told(try await call(scene))
            } catch {
                state.failed(error)
            }
        }
    }

    private func perform<Ignored>(_ call: @escaping @MainActor (Scene) async throws(SceneError) -> Ignored) {
        Task {
            do throws(SceneError) {
                _ = try await call(scene)
            } catch {
                state.failed(error)
            }
        }
    }
}
