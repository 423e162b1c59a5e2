import LinuxIO
import SceneModel
import SceneProtocol

/// Shows a login as it goes on: the login screen's address, the choice of accounts.
public typealias LoginProgressBlock = @MainActor @Sendable (LoginProgress) -> Void

extension Scene {
    /// Completes when the session has a current user, signing one in where there is none. However many scenes ask, one
    /// login runs. In a locked session it waits for the unlock. The events up to the completion have been delivered when it
    /// returns. A restart of scened goes unnoticed, but with `force`, where it may end in `connectionLost` as `login` does.
    ///
    /// - Parameters:
    ///   - options: how to sign in, and for how long to try (`timeoutSeconds`, 600 by default).
    ///   - progress: shows the login; without it a `LoginScreenController` does.
    /// - Throws: `Failure.loginCancelled`, `.loginTimedOut`, `.loginFailed`, `.interactionRequired`,
    ///   `.loginHostUnavailable`, `.storageUnavailable`, `.sessionLocked`.
    @discardableResult
    public func loginIfRequired(
        options: LoginOptions = LoginOptions(), progress: LoginProgressBlock? = nil
    ) async throws(SceneError) -> Account {
        let limit = LoginLimit(options)
        return try await presenting(progress, options) { show throws(SceneError) in
            try await core.call(
                LoginIfRequired.self, LoginIfRequired.Parameters(app: app, scene: id, options: try limit.options),
                more: true, isRepeatable: options.force != true, progress: { show($0.progress) }
            ).progress
        }
    }

    /// Signs in one more account and makes it current. A connection lost on the way ends it with `connectionLost`.
    @discardableResult
    public func login(
        options: LoginOptions = LoginOptions(), progress: LoginProgressBlock? = nil
    ) async throws(SceneError) -> Account {
        let limit = LoginLimit(options)
        return try await presenting(progress, options) { show throws(SceneError) in
            try await core.call(
                Login.self, Login.Parameters(app: app, scene: id, options: try limit.options), more: true,
                isRepeatable: false, progress: { show($0.progress) }
            ).progress
        }
    }

    /// After a logout: completes when the session has a current user again, as the app's `AfterLogout` policy has it.
    ///
    /// - Throws: `Failure.notSignedIn` where the policy is `none`, and what `loginIfRequired` throws.
    @discardableResult
    public func handleLogout(
        options: LoginOptions = LoginOptions(), progress: LoginProgressBlock? = nil
    ) async throws(SceneError) -> Account {
        let limit = LoginLimit(options)
        return try await presenting(progress, options) { show throws(SceneError) in
            try await core.call(
                HandleLogout.self, HandleLogout.Parameters(app: app, scene: id, options: try limit.options), more: true,
                isRepeatable: options.force != true, progress: { show($0.progress) }
            ).progress
        }
    }

    /// Ends the login under way; every scene that waits for it gets `Failure.loginCancelled`.
    public func cancelLogin() async throws(SceneError) {
        _ = try await core.call(CancelLogin.self, CancelLogin.Parameters(app: app, scene: id))
    }

    /// Hands over a URL that the desktop opened, and opens what answers it. False where no login waits for it.
    public func handleResponse(url: String) async throws(SceneError) -> Bool {
        try await core.handleResponse(url: url, scene: id)
    }

    /// Makes a call that waits for a login, which `block` shows; without one the scene's login screen does.
    private func presenting(
        _ block: LoginProgressBlock?, _ options: LoginOptions,
        _ call: (_ show: @escaping @Sendable (LoginProgress) -> Void) async throws(SceneError) -> LoginProgress
    ) async throws(SceneError) -> Account {
        if let block {
            return try await signedIn(try await call { progress in BlockQueue.add { block(progress) } })
        }
        let presentation = core.presentation
        let number = presentation.began(self, options)
        let result = await Result.of { () throws(SceneError) in
            try await signedIn(try await call { presentation.progressed(number, $0) })
        }
        await presentation.ended(number, result)
        return try result.get()
    }

    private func signedIn(_ progress: LoginProgress) async throws(SceneError) -> Account {
        await core.reached(progress.at)
        guard let account = progress.account else { throw .unexpected("a login without an account") }
        return account
    }
}

/// A login's options as they stand: the caller's time counts from its call, however often that is made again.
struct LoginLimit: Sendable {
    /// What scened gives a call that names none, in seconds.
    private static let usual = 600

    private let asked: LoginOptions
    private let began: Instant

    init(_ asked: LoginOptions, began: Instant = EventLoop.now.boot) {
        self.asked = asked
        self.began = began
    }

    var options: LoginOptions {
        get throws(SceneError) { try options(at: EventLoop.now.boot) }
    }

    /// - Throws: `Failure.loginTimedOut` where no whole second is left.
    func options(at now: Instant) throws(SceneError) -> LoginOptions {
        let passed = now.seconds(since: began)
        guard passed > 0 else { return asked }
        var options = asked
        let left = (asked.timeoutSeconds ?? Self.usual).subtractingReportingOverflow(passed)
        guard !left.overflow, left.partialValue > 0 else { throw .failure(.loginTimedOut) }
        options.timeoutSeconds = left.partialValue
        return options
    }
}

extension SceneCore {
    /// Opens what answers it.
    func handleResponse(url: String, scene: String?) async throws(SceneError) -> Bool {
        let parameters = HandleResponse.Parameters(url: url, scene: scene)
        let reply = try await call(HandleResponse.self, parameters, isRepeatable: false)
        LoginAddress.hand(reply.open, on: transport.loop)
        return reply.handled
    }
}
