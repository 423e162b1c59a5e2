import SceneSession

/// The same as scenectl's.
enum ExitCode: Int32, CaseIterable {
    case success = 0
    case failure = 1
    case usage = 64
    case noDaemon = 69
    case tryAgain = 75
    case denied = 77
    case configuration = 78
    case interrupted = 130

    var meaning: String {
        switch self {
        case .success: "Done"
        case .failure: "It failed for a reason not listed here"
        case .usage: "The command line cannot be understood"
        case .noDaemon: "scened cannot be reached"
        case .tryAgain: "Nothing is lost: the store fell short, or there are too many scenes; try again later"
        case .denied: "Refused by policy"
        case .configuration: "The app is not configured, or its configuration is broken"
        case .interrupted: "Ended with Ctrl-C; by another signal, 128 and its number"
        }
    }

    /// Why no scene could be had.
    init(_ error: SceneError) {
        switch error {
        case .notRunning, .connectionLost: self = .noDaemon
        case .noApp: self = .usage
        case .failure(.unknownApp): self = .configuration
        case .failure(.accessDenied): self = .denied
        case .failure(.storageUnavailable), .failure(.quotaExceeded): self = .tryAgain
        default: self = .failure
        }
    }
}
