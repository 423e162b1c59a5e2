import Glibc

enum LocalTime {
    /// The wall clock in the user's zone: "08:05:09".
    static var now: String {
        var seconds = time(nil)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return "--:--:--" }
        return [parts.tm_hour, parts.tm_min, parts.tm_sec].map { ($0 < 10 ? "0" : "") + String($0) }
            .joined(separator: ":")
    }
}
