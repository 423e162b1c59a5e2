import CommandLine
import Glibc
import SceneModel
import SceneProtocol

/// An access token, for scripts.
enum TokenVerb: Verb {
    private static let account = Option("account", value: "ACCOUNT", help: "Whose; by default the current account's")
    private static let validity = Option(
        "minimum-validity", value: "SECONDS", help: "How long it has to live at least; by default 60")
    private static let scope = Option("scope", value: "SCOPE", help: "The scope that it is to have")
    private static let audience = Option("audience", value: "URI", help: "The resource that it is for")
    private static let rejected = Option(
        "rejected-stdin", help: "Read from standard input the token that a resource refused, and get a newer one")

    static let command = Command(
        "token", summary: "Print an access token",
        discussion: [
            "The token alone goes to standard output. Keep it out of arguments and environment variables, which "
                + "others can read."
        ],
        options: [account, validity, scope, audience, rejected],
        examples: [
            .init(
                "scenectl token | sed 's/^/Authorization: Bearer /' | curl -H @- https://api.example.com/notes",
                "Call an API; the token stands in nobody's arguments")
        ])

    static func run(_ context: Context) throws(CommandFailure) {
        let arguments = context.arguments
        let seconds = try context.integer(validity, in: 0...31_536_000)
        let refused = arguments.has(rejected) ? try readToken() : nil
        let connection = try context.connect()
        let app = try context.app(on: connection)
        var identifier: String?
        if let word = arguments[account] {
            identifier = try AccountChoice(app, on: connection, for: context).identifier(of: word)
        }
        let answer = try connection.call(
            GetAccessToken.self,
            .init(
                app: app, account: identifier, minimumValiditySeconds: seconds, rejected: refused,
                scope: arguments[scope], audience: arguments[audience]))
        if context.wantsJSON { return try context.output.json(answer.json) }
        try context.output.write(answer.reply.token.value.withBytes { Array($0) } + [UInt8(ascii: "\n")])
    }

    private static let tokenLimit = 64 << 10

    /// All of standard input, without the line's end.
    private static func readToken() throws(CommandFailure) -> Secret {
        var token: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while token.count <= tokenLimit {
            let count = read(0, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            if count < 0 {
                throw CommandFailure(.failure, "Standard input cannot be read: \(String(cString: strerror(errno)))")
            }
            if count == 0 { break }
            token += chunk[..<count]
        }
        while let last = token.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { token.removeLast() }
        guard !token.isEmpty, token.count <= tokenLimit else {
            throw CommandFailure(
                .usage, "Standard input holds no token", suggestion: "scenectl token --rejected-stdin < FILE")
        }
        return Secret(token)
    }
}
