import CommandLine

/// Why a verb did not do what it was asked to: one sentence, and the command to try next.
package struct CommandFailure: Error, Hashable, CustomStringConvertible {
    package var exitCode: ExitCode
    /// Without its full stop, inert. Empty: there is nothing to say.
    package var problem: String
    package var suggestion: String?

    init(_ exitCode: ExitCode, _ problem: String, suggestion: String? = nil) {
        self.exitCode = exitCode
        self.problem = problem
        self.suggestion = suggestion
    }

    init(_ error: UsageError) {
        self.init(.usage, error.problem, suggestion: error.suggestion)
    }

    static let interrupted = CommandFailure(.interrupted, "")

    package var description: String {
        problem + "." + (suggestion.map { " Try: \($0)" } ?? "")
    }
}
