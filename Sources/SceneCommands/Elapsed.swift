/// Spans of time as people write them.
enum Elapsed {
    /// The two largest units: "3 h 12 min".
    static func text(seconds: Int) -> String {
        let seconds = max(0, seconds)
        let units = [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")]
        var parts: [String] = []
        var rest = seconds
        for (length, name) in units where rest >= length && parts.count < 2 {
            parts.append("\(rest / length) \(name)")
            rest %= length
        }
        return parts.isEmpty ? "0 s" : parts.joined(separator: " ")
    }

    /// As on a stopwatch: "0:42".
    static func clock(seconds: Int) -> String {
        let seconds = max(0, seconds)
        return "\(seconds / 60):" + (seconds % 60 < 10 ? "0" : "") + String(seconds % 60)
    }
}
