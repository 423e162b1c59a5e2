import Glibc
import Testing

@testable import SessionCore

/// Anything, in any order: SCENED_SEED repeats a run, SCENED_STEPS makes it longer.
@Suite struct ModelTests {
    private static func number(_ variable: String) -> UInt64? {
        getenv(variable).flatMap { UInt64(String(cString: $0)) }
    }

    @Test(.timeLimit(.minutes(10))) func sessionsKeepTheirPromises() {
        let seed = Self.number("SCENED_SEED") ?? .random(in: 0...UInt64(UInt32.max))
        let steps = Int(clamping: Self.number("SCENED_STEPS") ?? 200_000)
        var generator = SeededGenerator(seed: seed)
        let histories = [("notes", 1000), ("mail", 1000), ("notes", 1001)].map { app, uid in
            RandomHistory(seed: generator.next(), uid: UInt32(uid), app: app)
        }
        for step in 0..<steps {
            let history = histories[Int.random(in: 0..<histories.count, using: &generator)]
            history.step()
            let violations = history.violations()
            if !violations.isEmpty {
                Issue.record(
                    """
                    \(Set(violations).sorted().joined(separator: "\n"))
                    at step \(step) of SCENED_SEED=\(seed)
                    \(history.stage.streams.values.filter { !$0.faults.isEmpty }.map(\.story).joined(separator: "\n"))
                    \(history.stage.session.key): \(history.trail.joined(separator: ", "))
                    """)
                return
            }
        }
        // A run in which little happens proves little.
        if steps >= 200_000 {
            for history in histories {
                #expect(history.stage.ledger.record.sequence > 1000, "SCENED_SEED=\(seed)")
                #expect((history.counts["the daemon dies"] ?? 0) > 10, "SCENED_SEED=\(seed)")
            }
        }
    }
}
