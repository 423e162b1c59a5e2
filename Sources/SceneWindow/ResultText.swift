import CommandLine
import SceneSession

enum TokenText {
    /// All but the token itself.
    static func text(_ token: AccessToken) -> String {
        let life = token.expiresInSeconds.map { "lives \($0) s" } ?? "lives for a time not told"
        return "\(Inert.text(token.type)) token, \(life): \(token.account.name)"
    }
}

enum LogoutText {
    static func text(_ result: LogoutResult) -> String {
        "\(result.account.name) signed out (\(result.remote.rawValue))"
    }

    static func text(_ results: [LogoutResult]) -> String {
        "\(results.count) signed out (" + Set(results.map(\.remote.rawValue)).sorted().joined(separator: ", ") + ")"
    }
}
