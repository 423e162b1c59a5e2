import SceneModel

@testable import SessionCore

/// A login host that rotates refresh tokens, and knows what has become of each.
struct LoginHostModel {
    enum Fate {
        case live
        /// Used, or taken back: its next use is refused.
        case dead
    }

    /// An access token's life, by the clocks of when it was asked for.
    struct Issue {
        var at: Moment
        var bootID: String
        var seconds: Int?
        var scope: String?

        /// Whether it has lived its time by one of the clocks.
        func isOver(_ now: Moment, bootID: String) -> Bool {
            guard let seconds else { return false }
            if now.wall - at.wall >= seconds { return true }
            return bootID == self.bootID && now.boot.seconds(since: at.boot) >= seconds
        }
    }

    private(set) var tokens: [String: Fate] = [:]
    /// Tokens that were handed to the session, and are alive.
    private(set) var atStake: Set<String> = []
    private(set) var issues: [String: Issue] = [:]
    private var next = 0

    mutating func issue() -> String {
        next += 1
        tokens["rt-\(next)"] = .live
        return "rt-\(next)"
    }

    /// An access token of that name has been given.
    mutating func gave(_ accessToken: Secret, _ issue: Issue) { issues[accessToken.text] = issue }

    /// What may not get lost from now on.
    mutating func handOut(_ token: String) { atStake.insert(token) }

    func isLive(_ token: String) -> Bool { tokens[token] == .live }

    mutating func kill(_ token: String) {
        tokens[token] = .dead
        atStake.remove(token)
    }

    /// Nobody has them any more, and nobody is to blame: a daemon died with them, or 30 days have passed.
    mutating func lose(_ names: Set<String>) { atStake.subtract(names) }

    mutating func forgetDead(accessTokens kept: Set<String>) {
        tokens = tokens.filter { $0.value == .live && atStake.contains($0.key) }
        issues = issues.filter { kept.contains($0.key) }
    }
}
