import Glibc
import LinuxIO
import SceneSystem

/// Who may use an app: a guard against mistakes and for sandboxed apps, no wall between processes of one uid that can
/// trace each other.
struct Admission {
    let options: DaemonOptions
    let app: AppConfiguration

    private static let ownUid = getuid()

    /// Why the peer may not; nil where it may. In doubt it may not.
    func refusal(of peer: Peer) -> String? {
        if !options.isSystem, peer.uid != Self.ownUid { return "this is another user's scened" }
        if app.allowedUnits.isEmpty, app.allowedExecutables.isEmpty { return nil }
        guard peer.isRunning else { return "the calling process cannot be identified" }
        if !app.allowedUnits.isEmpty {
            let units = peer.withProcess { Units.unit(of: peer.pid, pidfd: $0) }
            guard [units.user, units.system].contains(where: { $0.map(app.allowedUnits.contains) ?? false }) else {
                return "the app's AllowedUnits= does not name the caller's unit"
            }
        }
        if !app.allowedExecutables.isEmpty {
            if options.isSystem { return "AllowedExecutables= is for the user instance" }
            guard let executable = executable(of: peer), app.allowedExecutables.contains(executable) else {
                return "the app's AllowedExecutables= does not name the caller's program"
            }
        }
        return nil
    }

    /// Read while the process lived, so it is about that process.
    private func executable(of peer: Peer) -> String? {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/\(peer.pid)/exe", &path, path.count - 1)
        guard count > 0, peer.isRunning else { return nil }
        return String(decoding: path.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
