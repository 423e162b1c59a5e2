/// A command line that cannot be understood: what is wrong, and what to type in its place.
package struct UsageError: Error, Hashable, CustomStringConvertible {
    /// One sentence without its full stop; what the user typed in it is inert.
    package var problem: String
    /// The command to try next.
    package var suggestion: String

    package init(_ problem: String, suggestion: String) {
        self.problem = problem
        self.suggestion = suggestion
    }

    package var description: String { "\(problem). Try: \(suggestion)" }
}
