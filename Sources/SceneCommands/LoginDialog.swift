import CommandLine
import Glibc
import SceneModel
import SceneProtocol
import TerminalScreen
import Varlink

/// A login call from its start to its end, on a login screen that takes the terminal as a whole.
struct LoginDialog {
    /// Faster answers need no screen: somebody is signed in already, say.
    private static let delay = Duration.milliseconds(300)

    let context: Context
    let app: String
    let connection: DaemonConnection
    var options: LoginOptions
    /// Whether a browser will do where the login host has no code for another device.
    let acceptsBrowser: Bool
    /// Sends the call, with these options.
    let send: (LoginOptions) throws(CommandFailure) -> Void

    private var input = TerminalInput(keyboard: true)
    private var screen: FullScreen?
    private let start = ContinuousClock.now
    /// scened ends the login in time; if it does not, it is stuck.
    private var deadline: ContinuousClock.Instant?
    private var state: LoginScreenState
    /// When the code can be used no longer.
    private var expiry: ContinuousClock.Instant?
    private var hasPresented = false
    /// Whether the user has picked a login host here, and can pick another one if that was a mistake.
    private var hasSelected = false
    /// Whether that was after the last that was heard of the login, which may be about the host before.
    private var isUnheard = false
    /// The user goes back to the app's identity provider: the login that is cancelled for that is asked for again.
    private var isGoingBack = false

    init(
        _ context: Context, app: String, connection: DaemonConnection, options: LoginOptions, acceptsBrowser: Bool,
        send: @escaping (LoginOptions) throws(CommandFailure) -> Void
    ) {
        self.context = context
        self.app = app
        self.connection = connection
        self.options = options
        self.acceptsBrowser = acceptsBrowser
        self.send = send
        state = LoginScreenState(
            loginHost: options.loginHost, acceptsPasting: !(context.environment["SSH_CONNECTION"] ?? "").isEmpty)
    }

    /// The progress that ended the call with success.
    mutating func run() throws(CommandFailure) -> LoginProgress {
        defer { screen?.close() }
        try ask()
        while true {
            let ticks = [deadline, nextTry, nextMinute, nextKey]
            switch try connection.next(until: ticks.compactMap { $0 }.min(), watching: input.descriptors) {
            case .answer(let answer):
                if let progress = try take(answer) { return progress }
            case .other, .deadline:
                if let deadline, deadline <= .now { throw connection.socket.stuck }
                try heed(input.read())
            }
            try draw()
        }
    }

    /// When to take the terminal, which may be another job's for now.
    private var nextTry: ContinuousClock.Instant? {
        screen == nil ? max(start + Self.delay, .now + Self.delay) : nil
    }

    private var nextKey: ContinuousClock.Instant? { input.patience.map { .now + $0 } }

    /// When the minutes that are shown change.
    private var nextMinute: ContinuousClock.Instant? {
        guard let expiry, screen != nil else { return nil }
        let left = expiry - .now
        return left > .seconds(90) ? .now + .seconds(15) : left > .zero ? min(expiry, .now + .seconds(5)) : nil
    }

    private mutating func draw() throws(CommandFailure) {
        if screen == nil, start + Self.delay <= .now || state.login != nil {
            screen = FullScreen(on: context.errors.descriptor, environment: context.environment)
            if screen != nil { try refresh() }
        }
        if let expiry { state.timePassed(secondsLeft: max(0, Int((expiry - .now).components.seconds))) }
        let state = state
        screen?.draw { LoginScreenView(state: state, size: $0, terminal: $1).lines }
    }

    // MARK: Answers

    private mutating func take(_ answer: VarlinkAnswer) throws(CommandFailure) -> LoginProgress? {
        if answer.isUnknown { return nil }
        if answer.failure?.lacksDeviceFlow == true, options.presentation == .device, acceptsBrowser || hasSelected {
            options.presentation = .browser
            try ask()
            state.told("The login host has no device flow for this app; a browser is needed.")
            return nil
        }
        if isGoingBack, answer.failure == .loginCancelled {
            isGoingBack = false
            (options.local, options.presentation) = (nil, .browser)
            try ask()
            return nil
        }
        do throws(CommandFailure) {
            let answer = try connection.read(answer, of: LoginIfRequired.self)
            if answer.reply.progress.state.isLast { return answer.reply.progress }
            guard answer.continues else { throw .withoutOutcome }
            try progressed(answer.reply.progress)
        } catch {
            // A mistake in the host is no reason to start all over.
            guard hasSelected, screen != nil, answer.isAboutLoginHost else { throw error }
            if isUnheard {
                try ask()
                return nil
            }
            (expiry, deadline) = (nil, nil)
            state.loginEnded(error.problem + ".")
        }
        return nil
    }

    private mutating func progressed(_ progress: LoginProgress) throws(CommandFailure) {
        if progress.state == .presenting { hasPresented = true }
        isUnheard = false
        let isNew =
            progress.authorizationUri != state.login?.authorizationUri || progress.userCode != state.login?.userCode
        expiry = progress.userCode == nil ? nil : progress.expiresInSeconds.map { .now + .seconds($0) }
        state.progressed(progress)
        // Another host may have been selected elsewhere.
        if progress.state == .presenting, isNew, screen != nil { try refresh() }
    }

    private mutating func ask() throws(CommandFailure) {
        isUnheard = false
        state.loginAsked()
        expiry = nil
        deadline = LoginVerb.deadline(options)
        try send(options)
    }

    // MARK: The user

    private mutating func heed(_ events: [TerminalInput.Event]) throws(CommandFailure) {
        for event in events {
            switch event {
            case .signal(let signal): try heed(signal)
            case .keyboardGone: try end(by: SIGHUP)
            case .key(let key):
                guard screen != nil else { continue }
                let view = state.view
                let wish = state.pressed(key)
                if view == .main, state.view == .hosts { try refresh() }
                if let wish { try fulfil(wish) }
            }
        }
    }

    private func heed(_ signal: Int32) throws(CommandFailure) {
        if let screen {
            if let ending = screen.received(signal) { try end(by: ending) }
        } else if signal == SIGTSTP {
            Signals.suspend()
        } else if TerminalInput.ending.contains(signal) {
            try end(by: signal)
        }
    }

    /// As if it had not been caught, but for the terminal.
    private func end(by signal: Int32) throws(CommandFailure) {
        screen?.close()
        if signal != SIGINT {
            Glibc.signal(signal, SIG_DFL)
            raise(signal)
        }
        throw .interrupted
    }

    private mutating func fulfil(_ wish: LoginScreenWish) throws(CommandFailure) {
        if wish == .quit { throw .interrupted }
        // Another's login goes on.
        if wish == .goBack, !hasPresented || state.hasEnded { throw context.refusal.describe(.loginCancelled) }
        do {
            try grant(wish)
        } catch {
            if error.exitCode == .interrupted { throw error }
            try refresh()
            state.failed(error.problem + ".")
        }
    }

    private mutating func grant(_ wish: LoginScreenWish) throws(CommandFailure) {
        switch wish {
        case .selectHost(let url):
            try call(SelectLoginHost.self, .init(app: app, url: url))
            options.loginHost = nil
            try selected()
            if state.hasEnded { try ask() }
        case .addHost(let url, let label):
            let host = try call(AddLoginHost.self, .init(app: app, url: url, label: label)).loginHost
            try refresh()
            state.hostAdded(host)
        case .removeHost(let url):
            let wasSelected = state.selectedHost?.url == url
            try call(RemoveLoginHost.self, .init(app: app, url: url))
            // Then the first one is.
            if wasSelected { try selected() } else { try refresh() }
        case .switchTo(let account):
            try call(SwitchAccount.self, .init(app: app, account: account.id))
        case .handOver(let address):
            let isHandled = try call(HandleResponse.self, .init(url: address)).handled
            if !isHandled { state.failed(LoginScreenState.foreignResponse) }
        case .goBack:
            isGoingBack = state.screen.backButtonAction == "identityProvider"
            try call(CancelLogin.self, .init(app: app))
        case .tryAgain: try ask()
        case .quit, .openBrowser: break
        }
    }

    /// Another login host is, and a login that is presented here goes on there.
    private mutating func selected() throws(CommandFailure) {
        (hasSelected, isUnheard) = (true, true)
        try refresh()
    }

    // MARK: Calls

    /// What is shown stays where it cannot be had anew.
    private mutating func refresh() throws(CommandFailure) {
        do {
            state.screenReceived(try call(GetLoginScreen.self, .init(app: app)).screen)
        } catch {
            if error.exitCode == .interrupted { throw error }
        }
    }

    /// Over a connection of its own: the first one is busy with the login.
    @discardableResult private func call<Method: WireMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters
    ) throws(CommandFailure) -> Method.Reply {
        let second = try context.connect()
        try second.send(method, parameters)
        let deadline = ContinuousClock.now + DaemonConnection.patience
        while true {
            switch try second.next(until: deadline, watching: [input.signalDescriptor]) {
            case .answer(let answer): return try second.read(answer, of: method).reply
            case .other: for signal in input.readSignals() { try heed(signal) }
            case .deadline: throw second.socket.stuck
            }
        }
    }
}

extension VarlinkAnswer {
    /// Whether a login at another host may fare better.
    fileprivate var isAboutLoginHost: Bool {
        switch failure {
        case .loginHostUnavailable: true
        case .loginFailed(let code, _): !["access_denied", "login_in_progress", "expired_token"].contains(code)
        default: false
        }
    }
}
