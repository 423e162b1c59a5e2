import SceneModel

@testable import SessionCore

/// A daemon with several sessions, of two users and two apps, to which everything that can happen happens.
struct ModelRun {
    let seed: UInt64
    private var generator: SeededGenerator
    let histories: [RandomHistory]
    let mailbox = Mailbox()
    private(set) var step = 0

    init(seed: UInt64) {
        self.seed = seed
        var generator = SeededGenerator(seed: seed)
        let mailbox = mailbox
        histories = [("notes", 1000), ("mail", 1000), ("notes", 1001)].enumerated().map { index, key in
            RandomHistory(
                seed: generator.next(), uid: UInt32(key.1), app: key.0, numberedFrom: index * 1_000_000_000,
                mailbox: mailbox)
        }
        self.generator = generator
    }

    /// What is wrong after so many steps at the most, with all that it takes to see it again; nil where nothing is.
    mutating func failure(within steps: Int) -> String? {
        while step < steps {
            guard let history = happen() else { return nil }
            var touched = [history]
            if history.stage.isDead || history.someoneDied {
                // One process holds them all.
                let reboots = generator.once(in: 4)
                let isStop =
                    !reboots && !histories.contains { $0.stage.isDead || $0.stage.session.isBusy }
                mailbox.empty()
                for history in histories { history.recover(reboots: reboots, isStop: isStop) }
                touched = histories
            }
            for history in touched {
                let violations = history.violations()
                if !violations.isEmpty { return report(violations, of: history) }
            }
            let stranded = strandedRequests()
            if !stranded.isEmpty { return report(stranded, of: history) }
            step += 1
        }
        return nil
    }

    /// Something happens to one of them; mostly soon, what one has to say to another.
    private mutating func happen() -> RandomHistory? {
        if !mailbox.letters.isEmpty, generator.once(in: 2), let letter = mailbox.next() {
            guard let history = histories.first(where: { $0.stage.session.key == letter.key }) else { return nil }
            history.take(letter)
            return history
        }
        let history = histories.randomElement(using: &generator)
        history?.step()
        return history
    }

    private func report(_ violations: [String], of history: RandomHistory) -> String {
        let stories = history.stage.streams.values.filter { !$0.faults.isEmpty }.map(\.story).sorted()
        return """
            \(Set(violations).sorted().joined(separator: "\n"))
            in \(history.stage.session.key), after this, the last being step \(step):
              \(history.trail.joined(separator: "\n  "))
            \(stories.joined(separator: "\n"))
            See it again: SCENED_SEED=\(seed) SCENED_STEPS=\(step + 1) swift test --filter ModelTests
            """
    }
}
