import CommandLine
import SceneModel
import SceneProtocol
import TerminalScreen
import Varlink

/// A login call from its start to its end: tells how it stands, and takes what the user pastes.
struct LoginConversation {
    let context: Context
    let connection: DaemonConnection
    let interrupt: Interrupt?
    var guide: LoginGuide
    var status: StatusLine
    var pasted: PastedLines?
    /// Starts over with a browser where the login host has no code for another device; nil where only a code will do.
    var browserInstead: ((DaemonConnection) throws(CommandFailure) -> LoginConversation)?

    /// The progress that ended the call with success.
    mutating func run(until deadline: ContinuousClock.Instant) throws(CommandFailure) -> LoginProgress {
        defer { status.clear() }
        while true {
            let tick = [status.nextTick, guide.nextLook, deadline].compactMap { $0 }.min()
            switch try connection.next(until: tick, watching: pasted?.descriptors ?? []) {
            case .answer(let answer):
                if let progress = try take(answer) { return progress }
            case .other:
                for line in pasted?.read() ?? [] { handOver(line) }
            case .deadline:
                if deadline <= .now { throw connection.socket.stuck }
            }
            if let complaint = guide.complaint() { tell([complaint]) }
            status.draw()
        }
    }

    private mutating func take(_ answer: VarlinkAnswer) throws(CommandFailure) -> LoginProgress? {
        if answer.isUnknown { return nil }
        if let browserInstead, answer.failure?.lacksDeviceFlow == true {
            tell(["The login host has no device flow for this app; a browser is needed."])
            self = try browserInstead(connection)
            return nil
        }
        let answer = try connection.read(answer, of: LoginIfRequired.self)
        let progress = answer.reply.progress
        if context.wantsJSON { try context.output.json(answer.json) }
        if progress.state.isLast { return progress }
        guard answer.continues else { throw .withoutOutcome }
        tell(guide.news(progress))
        status.show(describe(progress))
        return nil
    }

    private func describe(_ progress: LoginProgress) -> String {
        progress.state == .selecting ? "Waiting for somebody to choose an account" : progress.standing
    }

    /// Gives a pasted address to scened over a second connection: the first one is busy with the login.
    private mutating func handOver(_ address: String) {
        do {
            let second = try context.connect(interrupt: interrupt)
            let handled = try second.call(HandleResponse.self, .init(url: address)).reply.handled
            if !handled { tell([LoginScreenState.foreignResponse]) }
        } catch {
            if error.exitCode != .interrupted { tell(["scened did not take the address: \(error)"]) }
        }
    }

    private mutating func tell(_ lines: [String]) {
        guard !lines.isEmpty else { return }
        status.clear()
        for line in lines { context.errors.tell(line) }
    }
}

extension VarlinkAnswer {
    /// How the login stands, in words that only a newer scened knows.
    var isUnknown: Bool {
        guard case .reply(let parameters, continues: true) = self else { return false }
        do throws(WireError) {
            _ = try LoginIfRequired.Reply(lenient: parameters)
            return false
        } catch {
            return error.problem == .unknownValue
        }
    }

    /// The error that it is; nil where it is none, or one of a newer scened's.
    var failure: Failure? {
        guard case .error(let name, let parameters) = self else { return nil }
        return Failure(errorName: name, parameters: parameters)
    }
}

extension LoginProgress.State {
    var isLast: Bool { self == .signedIn || self == .alreadySignedIn }
}

extension CommandFailure {
    static let withoutOutcome = CommandFailure(
        .failure, "scened ended the login without an outcome", suggestion: "scenectl status")
}
