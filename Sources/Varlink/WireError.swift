/// A parameter that cannot be read; becomes org.varlink.service.InvalidParameter.
package struct WireError: Error, Hashable {
    package enum Problem: Hashable, Sendable {
        case missing, wrongType, unknownMember
        /// An enum's value that we do not know: of a newer version, perhaps.
        case unknownValue
    }

    /// The path to it: `options.timeoutSeconds`.
    package var parameter: String
    package var problem: Problem

    package init(parameter: String, problem: Problem = .wrongType) {
        self.parameter = parameter
        self.problem = problem
    }

    func within(_ outer: String) -> WireError {
        outer.isEmpty ? self : WireError(parameter: "\(outer).\(parameter)", problem: problem)
    }
}
