import SceneModel

@testable import SessionCore

/// A login host that rotates refresh tokens, and knows what has become of each.
struct LoginHostModel {
    enum Fate {
        case live
        /// Used, or taken back: its next use is refused.
        case dead
    }

    private(set) var tokens: [String: Fate] = [:]
    /// Tokens that were handed to the session, by name.
    private(set) var handedOut: Set<String> = []
    /// Lost with a daemon that died before it could store them.
    private(set) var lost: Set<String> = []
    private var next = 0

    mutating func issue() -> String {
        next += 1
        tokens["rt-\(next)"] = .live
        return "rt-\(next)"
    }

    mutating func handOut(_ token: String) { handedOut.insert(token) }

    func isLive(_ token: String) -> Bool { tokens[token] == .live }

    mutating func kill(_ token: String) { tokens[token] = .dead }

    mutating func lose(_ names: Set<String>) { lost.formUnion(names) }

    /// What may not get lost: handed out, of use at the login host, and no daemon died with it.
    var atStake: Set<String> { handedOut.filter { isLive($0) && !lost.contains($0) } }

    mutating func forgetDead() {
        handedOut = handedOut.filter { isLive($0) && !lost.contains($0) }
        tokens = tokens.filter { $0.value == .live && !lost.contains($0.key) }
    }
}
