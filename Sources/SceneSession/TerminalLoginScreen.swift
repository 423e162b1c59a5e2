import CommandLine
import Glibc
import LinuxIO
import SceneModel
import TerminalScreen

/// The login screen on the program's own terminal, which it lends for the time of a login.
@MainActor final class TerminalLoginScreen {
    private weak var controller: LoginScreenController?
    private let screen: FullScreen
    private let keys: LentKeyboard
    private var state: LoginScreenState {
        didSet { if state != oldValue { draw() } }
    }
    /// Until when the code can be used.
    private var end: Instant?

    /// Nil where the program has no terminal to lend.
    init?(of controller: LoginScreenController, on loop: EventLoop) {
        guard controller.scene.core.shownConfiguration.presentsInTerminal, Self.readsLines,
            let screen = FullScreen(environment: SceneSession.environment, isLent: true)
        else { return nil }
        self.controller = controller
        self.screen = screen
        state = controller.makeState()
        // What was typed for the program is no key of the screen's.
        tcflush(STDIN_FILENO, TCIFLUSH)
        keys = LentKeyboard(on: loop)
        keys.start { [weak self] events in self?.received(events) }
        present()
        draw()
    }

    /// A program that has echo or line mode off draws on the terminal itself, or reads keys.
    private static var readsLines: Bool {
        var mode = termios()
        let usual = tcflag_t(ICANON | ECHO)
        return tcgetattr(STDIN_FILENO, &mode) == 0 && mode.c_lflag & usual == usual
    }

    func present() {
        guard let controller else { return }
        let seconds = controller.progress.userCode == nil ? nil : controller.progress.expiresInSeconds
        end = seconds.map { EventLoop.now.boot.advanced(bySeconds: $0) }
        change { controller.update(&$0) }
    }

    func failed(_ error: SceneError) {
        change { $0.failed(FailureText.text(error)) }
    }

    func close() {
        keys.stop()
        screen.close()
    }

    private func change(_ change: @MainActor (inout LoginScreenState) -> Void) {
        var state = state
        change(&state)
        self.state = state
    }

    private func draw() {
        let state = state
        screen.draw { size, terminal in LoginScreenView(state: state, size: size, terminal: terminal).lines }
    }

    private func received(_ events: [TerminalInput.Event]) {
        for event in events {
            switch event {
            case .key(let key): pressed(key)
            case .signal(let signal): _ = screen.received(signal)
            // The program goes too, as a rule: another scene that waits takes the login over then.
            case .keyboardGone: break
            }
        }
        if let end { state.timePassed(secondsLeft: max(0, end.seconds(since: EventLoop.now.boot))) }
    }

    private func pressed(_ key: Key) {
        let view = state.view
        let wish = state.pressed(key)
        if view == .main, state.view == .hosts { controller?.refresh() }
        guard let wish else { return }
        if wish == .quit { controller?.cancelLogin() }
        controller?.fulfil(wish) { [weak self] in self?.change($0) }
    }
}

/// Reads the terminal's keys on the library's thread, as long as the terminal is lent.
private final class LentKeyboard: @unchecked Sendable {
    private let loop: EventLoop
    /// Nil when it is over: then every key is the program's.
    private let input: Locked<TerminalInput?>
    private var watches: [Watch] = []
    private var timer: LoopTimer?
    private var take: @MainActor @Sendable ([TerminalInput.Event]) -> Void = { _ in }

    init(on loop: EventLoop) {
        self.loop = loop
        input = Locked(TerminalInput(lentBy: STDIN_FILENO))
    }

    /// `take` is also called with nothing, now and then: time passes.
    func start(_ take: @escaping @MainActor @Sendable ([TerminalInput.Event]) -> Void) {
        let descriptors = input.withLock { $0?.descriptors.map(\.fd) ?? [] }
        loop.enqueue {
            self.take = take
            self.watches = descriptors.filter { $0 >= 0 }.compactMap { descriptor in
                try? self.loop.watch(descriptor, .readable) { _ in self.read() }
            }
            self.wait()
        }
    }

    func stop() {
        input.withLock { $0 = nil }
        Signals.stop()
        loop.enqueue {
            for watch in self.watches { watch.cancel() }
            self.watches = []
            self.timer?.cancel()
            self.take = { _ in }
        }
    }

    private func read() {
        let events = input.withLock { $0?.read() ?? [] }
        BlockQueue.add { [take] in take(events) }
        if events.contains(.keyboardGone) {
            for watch in watches { watch.cancel() }
        }
        wait()
    }

    /// For the rest of a key's sequence, or for time to pass.
    private func wait() {
        timer?.cancel()
        guard let isWaiting = input.withLock({ $0.map { $0.patience != nil } }) else { return }
        let pause = EventLoop.now.boot.advanced(byMilliseconds: isWaiting ? 100 : 10_000)
        timer = loop.schedule(at: pause) { self.read() }
    }
}
