import CommandLine
import Glibc
import LinuxIO

/// What can go wrong between scenectl and a scened that listens at this path.
extension SocketPath {
    private var shown: String { Inert.text(path) }

    /// A call went on too long.
    var stuck: CommandFailure {
        CommandFailure(.tryAgain, "scened at \(shown) does not answer", suggestion: statusLine)
    }

    var closed: CommandFailure {
        CommandFailure(.noDaemon, "scened at \(shown) closed the connection", suggestion: statusLine)
    }

    var garbled: CommandFailure {
        CommandFailure(
            .noDaemon, "What answers at \(shown) does not speak as scened does",
            suggestion: "scenectl --socket PATH status")
    }

    /// Why no connection came about.
    func failure(_ error: SystemError) -> CommandFailure {
        switch error.code {
        case EACCES, EPERM:
            CommandFailure(.denied, "You may not connect to \(shown)", suggestion: "ls -l \(shown)")
        case ECONNREFUSED where !isSocket:
            CommandFailure(.noDaemon, "\(shown) is no socket", suggestion: "scenectl status")
        case ENOENT, ECONNREFUSED, ENOTDIR:
            CommandFailure(.noDaemon, "scened is not running at \(shown)", suggestion: startLine)
        case ETIMEDOUT:
            CommandFailure(.tryAgain, "scened at \(shown) does not take connections", suggestion: statusLine)
        default:
            CommandFailure(
                .noDaemon, "scened cannot be reached at \(shown) (\(error))", suggestion: startLine)
        }
    }

    private var isSocket: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }
}
