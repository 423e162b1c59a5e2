import SceneSession

/// What is new in a window, for those who read lines.
enum News {
    static func lines(from former: WindowState?, to state: WindowState) -> [String] {
        let last = former?.history.last?.number ?? 0
        var lines: [String] = []
        if former?.presence != state.presence {
            switch state.presence {
            case .connecting: break
            case .connected: lines.append(former?.presence == .away ? "scened is back" : "scene \(state.scene)")
            case .away: lines.append("scened is away, reconnecting…")
            }
        }
        lines += state.history.filter { $0.number > last }.map { "\($0.time) \($0.sequence) \($0.text)" }
        if let login = state.login?.login, login != former?.login?.login {
            lines += Screen.addresses(login).map { "\($0.purpose) \($0.address)" }
        }
        if let notice = state.notice, notice != former?.notice { lines.append(notice.text) }
        return lines
    }
}
