// Whoever calls without pause waits for those who do not: in each turn of the loop a user has a share, and what goes
// beyond is served at the end of the turn, one share at a time.

extension Daemon {
    /// Its user's share is used up.
    func wait(_ served: ServedConnection) {
        served.isWaiting = true
        if served.account.waiting.append(served) { serveAtEndOfTurn(served.account) }
        regulate(served)
    }

    private func serveAtEndOfTurn(_ account: UserAccount) {
        loop.atEndOfTurn {
            account.renewShare(inTurn: self.loop.turns)
            // Those that wait again do so behind the others.
            while account.hasTime(inTurn: self.loop.turns), let served = account.waiting.next() {
                served.isWaiting = false
                self.serve(served)
            }
            if !account.waiting.rests() { self.serveAtEndOfTurn(account) }
        }
    }
}

/// Who waits for their turn, the first that came first.
struct TurnQueue<Element> {
    private var elements: [Element?] = []
    private var first = 0
    /// Somebody sees to it until it is empty.
    private var isTended = false

    /// True: nobody sees to it yet.
    mutating func append(_ element: Element) -> Bool {
        elements.append(element)
        defer { isTended = true }
        return !isTended
    }

    mutating func next() -> Element? {
        guard first < elements.count else { return nil }
        defer {
            elements[first] = nil
            first += 1
            // Each moves once, on average.
            if first * 2 >= elements.count {
                elements.removeFirst(first)
                first = 0
            }
        }
        return elements[first]
    }

    /// Whether it is empty; then nobody sees to it any more.
    mutating func rests() -> Bool {
        isTended = first < elements.count
        return !isTended
    }
}
