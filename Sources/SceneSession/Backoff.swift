/// Pauses between attempts, which grow, with jitter, so that many clients do not come back in one instant.
struct Backoff {
    /// A connection that lived for so long was a good one.
    static let goodSeconds = 1
    static let longestMilliseconds = 2000

    private var attempts = 0

    /// In milliseconds.
    mutating func next() -> Int {
        let ceiling = min(Self.longestMilliseconds, 20 << min(attempts, 8))
        attempts += 1
        return Int.random(in: ceiling / 2...ceiling)
    }

    mutating func reset() {
        attempts = 0
    }
}
