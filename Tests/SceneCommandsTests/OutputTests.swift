import Glibc
import SceneModel
import SceneProtocol
import Testing
import TestSupport

@testable import SceneCommands

/// Standard output that is gone, full or closed.
@Suite(.timeLimit(.minutes(1))) struct OutputTests {
    private func daemon() throws -> FakeDaemon {
        let token = AccessToken(value: Secret("t0k3n"), type: "Bearer", account: Fixture.ada)
        return try FakeDaemon([GetAccessToken.name: [.reply(GetAccessToken.Reply(token: token))]])
    }

    @Test(arguments: [
        ("exec 3> >(:); wait $!; exec \"$CTL\" token --app notes >&3", 128 + SIGPIPE, ""),
        ("trap '' PIPE; exec 3> >(:); wait $!; exec \"$CTL\" token --app notes >&3", 1, "Broken pipe"),
        ("exec \"$CTL\" token --app notes >&-", 1, "Bad file descriptor"),
        ("exec \"$CTL\" token --app notes >/dev/full", 1, "No space left on device"),
    ])
    func isAFailure(_ line: String, _ code: Int32, _ text: String) throws {
        let outcome = try shell(line, socket: try daemon().path)
        #expect(outcome.code == code && outcome.output == "")
        #expect(text.isEmpty || outcome.errors.contains(text))
    }

    @Test func closedErrorsAreNoFailure() throws {
        let outcome = try shell("exec \"$CTL\" token --app notes 2>&- <&-", socket: try daemon().path)
        #expect(outcome.code == 0 && outcome.output == "t0k3n\n")
    }

    @Test func theTokenIsInNoErrorWhateverHappens() throws {
        let outcome = try shell("exec \"$CTL\" token --app notes >/dev/full", socket: try daemon().path)
        #expect(!outcome.errors.contains("t0k3n"))
    }
}
