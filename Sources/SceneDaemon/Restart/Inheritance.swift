import Glibc
import LinuxIO
import SceneSystem

/// What the service manager passed: sockets to listen on, and what the process before this one had it keep.
struct Inheritance {
    /// Names of descriptors in the service manager's store.
    enum Name {
        static let session = "session"
        static let scene = "scene"
        static let marks = ConnectionMarks.name
        static let login = "login-"
        static let listener = "listener-"
        static let asked = "asked-"
    }

    var sessions: [Int32] = []
    var marks: ConnectionMarks?
    var scenes: [Int32] = []
    var logins: [(name: String, file: MemoryFile)] = []
    var listeners: [(name: String, descriptor: Int32)] = []
    /// Login sessions that were asked to lock, by their paths at logind.
    var askedSessions: Set<String> = []
    /// Kept in vain: to be removed from the store.
    var obsolete: Set<String> = []

    init() {}

    init(_ passed: [(name: String, descriptor: Int32)]) {
        for (name, descriptor) in passed {
            if name == Name.session {
                sessions.append(descriptor)
            } else if name == Name.scene {
                scenes.append(descriptor)
            } else if name == Name.marks {
                marks = ConnectionMarks(adopting: descriptor)
                if marks == nil { obsolete.insert(name) }
            } else if name.hasPrefix(Name.login), let file = try? MemoryFile(adopting: descriptor) {
                logins.append((name, file))
            } else if name.hasPrefix(Name.listener) {
                listeners.append((name, descriptor))
            } else if name.hasPrefix(Name.asked) {
                close(descriptor)
                askedSessions.insert(String(name.dropFirst(Name.asked.count)))
            } else {
                close(descriptor)
                obsolete.insert(name)
            }
        }
    }
}
