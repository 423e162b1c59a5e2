import SceneModel

// A login by a code that the user types on another device (RFC 8628): when the login host is asked whether they have.

/// What the user is shown (RFC 8628, section 3.2).
package struct DevicePrompt: Hashable, Sendable {
    package var userCode: String
    package var verificationUri: String
    /// The address with the code in it, where the login host gives one.
    package var verificationUriComplete: String?
    /// When the code can be used no more.
    package var expires: Instant
    /// Seconds that the login host wants between two requests.
    package var interval: Int

    package init(
        userCode: String, verificationUri: String, verificationUriComplete: String?, expires: Instant, interval: Int
    ) {
        self.userCode = userCode
        self.verificationUri = verificationUri
        self.verificationUriComplete = verificationUriComplete
        self.expires = expires
        self.interval = interval
    }
}

/// What the login host said when it was asked, short of tokens and of a refusal (RFC 8628, section 3.5).
package enum DeviceAnswer: Hashable, Sendable {
    case pending
    case slowDown
    /// No answer, or none of the login host's own. `mayBeSpent`: it went missing on its way here, and with it the tokens, if
    /// the code had been used.
    case unavailable(retryAfterSeconds: Int?, mayBeSpent: Bool = false)
}

/// A code that is shown, and how its use is asked for.
package struct DevicePolling: Sendable {
    let prompt: DevicePrompt
    /// Seconds between two requests.
    var interval: Int
    /// Requests since the last answer.
    var failures = 0
    /// When the next request goes out; nil while one is under way.
    var next: Instant?
    /// The answer to the last request was lost, and the code may be used up.
    var mayBeSpent: Bool

    init(_ prompt: DevicePrompt, _ now: Instant, mayBeSpent: Bool = false) {
        self.prompt = prompt
        self.mayBeSpent = mayBeSpent
        interval = max(prompt.interval, 1)
        next = now.advanced(bySeconds: interval)
    }

    var isAsking: Bool { next == nil }

    /// When something is to be done about it.
    var due: Instant? { next.map { min($0, prompt.expires) } }

    /// What was asked has come to nothing yet. Trouble doubles the interval each time, as section 3.5 recommends.
    mutating func answered(_ answer: DeviceAnswer, _ now: Instant) {
        var wait = interval
        switch answer {
        case .pending:
            failures = 0
            mayBeSpent = false
        case .slowDown:
            failures = 0
            mayBeSpent = false
            interval = interval.plus(Bounds.slowDown)
            wait = interval
        case .unavailable(let retryAfter, let isLost):
            failures += 1
            mayBeSpent = mayBeSpent || isLost
            let doubled = interval.multipliedReportingOverflow(by: 1 << min(failures, 16))
            let longest = max(interval, Bounds.longestDeviceRetry)
            wait = max(doubled.overflow ? longest : min(doubled.partialValue, longest), retryAfter ?? 0)
        }
        next = now.advanced(bySeconds: wait)
    }
}

extension Session {
    /// The login host has given a code.
    package mutating func deviceCodeReceived(_ id: Int, _ prompt: DevicePrompt, world: World) -> [Action] {
        guard login?.id == id, case .preparing = login?.state else { return [] }
        login?.state = .polling(DevicePolling(prompt, world.now.boot))
        return tell(world)
    }

    /// The login host has been asked; tokens and refusals are `tokensReceived` and `loginFailed`.
    package mutating func deviceAnswered(_ id: Int, _ answer: DeviceAnswer, world: World) -> [Action] {
        guard login?.id == id, case .polling(var polling) = login?.state, polling.isAsking else { return [] }
        polling.answered(answer, world.now.boot)
        login?.state = .polling(polling)
        // Whoever was signed out meanwhile may sign in with the code from here on.
        login?.signedOut = SignedOut()
        return pollDevice(world)
    }

    /// Asks the login host when it is time to, and ends the login when its code cannot be used any more. What was asked
    /// before that is waited for.
    mutating func pollDevice(_ world: World) -> [Action] {
        guard let login, case .polling(var polling) = login.state, let due = polling.due, due <= world.now.boot else {
            return []
        }
        guard world.now.boot < polling.prompt.expires else { return end(.codeExpired, world) }
        polling.next = nil
        self.login?.state = .polling(polling)
        return [.pollDevice(login.id)]
    }
}

extension LoginAttempt {
    /// What the login ends with: a login host that refuses a code whose answer was lost has most likely given the tokens
    /// with it. They are gone, and no one but the user can have new ones made.
    func told(_ failure: Failure) -> Failure {
        guard case .polling(let polling) = state, polling.mayBeSpent, case .loginFailed("invalid_grant", _) = failure
        else { return failure }
        return .loginFailed(
            code: "loginInterrupted",
            description: "the login host's answer was lost when the code had been used; start again for a new one")
    }
}

extension LoginEnd {
    /// Nobody used the code in time (RFC 8628, section 3.5).
    static let codeExpired = failed(
        .loginFailed(code: "expired_token", description: "the code was not used in time; start again for a new one"))
}

extension LoginProgress {
    /// The code, for a call that waits until `deadline`.
    mutating func show(_ prompt: DevicePrompt, until deadline: Instant, _ now: Instant) {
        userCode = prompt.userCode
        verificationUri = prompt.verificationUri
        verificationUriComplete = prompt.verificationUriComplete
        expiresInSeconds = max(0, min(prompt.expires, deadline).seconds(since: now))
    }

    /// Whether a call that was told `former` has nothing new to hear: time that goes by is no news.
    func isKnown(from former: LoginProgress?) -> Bool {
        var same = self
        same.expiresInSeconds = former?.expiresInSeconds
        return same == former
    }
}
