import Glibc
import Testing

@testable import SessionCore

/// Anything, in any order. SCENED_SEED repeats a run, SCENED_STEPS makes it longer.
@Suite struct ModelTests {
    private static func number(_ variable: String) -> UInt64? {
        getenv(variable).flatMap { UInt64(String(cString: $0)) }
    }

    private static let steps = Int(clamping: number("SCENED_STEPS") ?? 250_000)

    private static let seeds =
        number("SCENED_SEED").map { [$0] } ?? (0..<4).map { _ in .random(in: 0...UInt64(UInt32.max)) }

    @Test(.timeLimit(.minutes(10 + steps / 250_000)), arguments: seeds) func sessionsKeepTheirPromises(seed: UInt64) {
        var run = ModelRun(seed: seed)
        if let failure = run.failure(within: Self.steps) {
            Issue.record(Comment(rawValue: failure))
            return
        }
        // A run in which little happens proves little.
        guard Self.steps >= 200_000 else { return }
        for what in Self.wanted {
            let count = run.histories.reduce(0) { $0 + ($1.counts[what] ?? 0) }
            #expect(count > 0, "\(what), SCENED_SEED=\(seed)")
        }
    }

    private static let wanted = [
        "the daemon dies", "the daemon is restarted", "the machine starts again", "a slow reader catches up",
        "a slow reader gets a snapshot", "a scene comes back, and is told what it missed",
        "a scene comes back too late", "a login is kept over the daemon's end",
        "a choice is kept over the daemon's end", "a login begins again at another host",
        "a request is approved", "a user goes back to the identity provider", "an app asks by a URL",
        "a provider has an app ask it",
    ]
}
