import CommandLine

/// What a script learns from scenectl, after sysexits.h(3head).
package enum ExitCode: Int32, CaseIterable, Sendable {
    case success = 0
    case failure = 1
    case interactionRequired = 4
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
        case .interactionRequired: "The user has to sign in first"
        case .usage: "The command line cannot be understood"
        case .noDaemon: "scened cannot be reached, or went away"
        case .tryAgain: "Nothing is lost: the login host, the store or time fell short; try again later"
        case .denied: "Refused by policy, by the user, or because the session is locked"
        case .configuration: "The app is not configured, or its configuration is broken"
        case .interrupted: "Ended with Ctrl-C, or with q on the login screen"
        }
    }

    static var section: Command.Section {
        Command.Section("Exit codes", allCases.map { (String($0.rawValue), $0.meaning) })
    }
}
