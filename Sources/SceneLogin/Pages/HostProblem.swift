/// Why a change to the login hosts was refused, with what the user had typed.
package struct HostProblem: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case invalid = "host"
        case notRemovable = "not-removable"
        case quota, unknown, hidden, storage, other
    }

    package var kind: Kind
    package var address: String
    package var label: String

    package init(_ kind: Kind, address: String = "", label: String = "") {
        self.kind = kind
        self.address = address
        self.label = label
    }

    var isInAddress: Bool {
        kind == .invalid
    }

    /// What happened, and what is to be done where that is not clear.
    func html(_ messages: Messages) -> [HTML] {
        let what = messages.html("invalid.\(kind.rawValue)")
        return isInAddress ? [what, messages.html("invalid.todo")] : [what]
    }
}
