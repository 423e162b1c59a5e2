import CommandLine
import SceneModel
import SceneProtocol
import Varlink

/// One app's session, as far as the caller may see it.
struct SessionOverview {
    var app: String
    var answer: Result<Answer<ListAccounts.Reply>, CommandFailure>

    /// A refusal is something to show; a daemon that went away is not.
    init(of app: String, on connection: DaemonConnection) throws(CommandFailure) {
        self.app = app
        do {
            answer = .success(try connection.call(ListAccounts.self, .init(app: app)))
        } catch {
            if error.exitCode == .noDaemon || error.exitCode == .tryAgain { throw error }
            answer = .failure(error)
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("app")
        writer.string(app)
        switch answer {
        case .success(let answer):
            for (name, value) in answer.json.members ?? [] where name != "app" {
                writer.key(name)
                writer.compact(value)
            }
        case .failure(let failure):
            writer.key("error")
            writer.string(failure.problem)
        }
        writer.endObject()
    }

    static func table(_ sessions: [SessionOverview]) -> Table {
        var table = Table([
            .init("APP"), .init("CURRENT USER", shortens: true), .init("STATE", shortens: true),
            .init("ACCOUNTS", isNumber: true),
        ])
        for session in sessions {
            switch session.answer {
            case .success(let answer):
                let current = answer.reply.current
                table.add(
                    .init(session.app), current.map { .init($0.label) } ?? .init("nobody", .faint),
                    current.map { $0.state.cell } ?? "", .init(String(answer.reply.accounts.count)))
            case .failure(let failure):
                table.add(.init(session.app), "", .init(failure.problem, .bad), "")
            }
        }
        return table
    }
}
