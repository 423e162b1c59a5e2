import CSystemd
import Glibc

/// The descriptors that systemd passed to this process: sockets to listen on, and what it stored for us.
package enum PassedDescriptors {
    /// Takes them once: they are the caller's from here on, close-on-exec, and the environment speaks of them no more.
    /// Call before other threads exist.
    package static func take() -> [(name: String, descriptor: Int32)] {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = sd_listen_fds_with_names(1, &names)
        guard count > 0, let names else { return [] }
        defer { free(names) }
        return (0..<count).map { index in
            let name = names[Int(index)]
            defer { free(name) }
            return (name.map { String(cString: $0) } ?? "", SD_LISTEN_FDS_START + index)
        }
    }
}
