/// Bytes that are held for one peer or several, against the most that may be.
package final class ByteMeter {
    package var limit: Int
    package private(set) var count = 0
    /// More was to be held than may be; it was not.
    package var onExcess: () -> Void = {}

    package init(limit: Int) {
        self.limit = limit
    }

    /// What was held becomes `new` in place of `old`. False: that would be too much, and nothing has changed. Less than
    /// before is never too much.
    package func change(from old: Int, to new: Int) -> Bool {
        guard new <= old || count - old <= limit - new else {
            onExcess()
            return false
        }
        count += new - old
        return true
    }
}
