/// The name that somebody who mistyped it most likely meant.
package enum Nearest {
    /// Nil where nothing is near. Looks at 64 characters at the most: a peer's or a user's word may be of any length.
    package static func to(_ word: String, among names: [String]) -> String? {
        let typed = Array(word.lowercased().prefix(64))
        let ranked = names.map { name in (name, distance(typed, Array(name.lowercased()))) }
        guard let best = ranked.min(by: { $0.1 < $1.1 }) else { return nil }
        if best.1 <= (best.0.count + 3) / 4 { return best.0 }
        return names.first { $0.lowercased().hasPrefix(word.lowercased()) }
    }

    /// Insertions, deletions, replacements and swaps of neighbours that turn one into the other.
    static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var row = [i + 1]
            for (j, b) in right.enumerated() {
                var best = min(last[j] + (a == b ? 0 : 1), last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, a == right[j - 1], left[i - 1] == b { best = min(best, beforeLast[j - 1] + 1) }
                row.append(best)
            }
            beforeLast = last
            last = row
        }
        return last[right.count]
    }
}
