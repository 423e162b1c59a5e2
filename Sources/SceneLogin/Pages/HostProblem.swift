/// Why a change to the login hosts was refused, with what the user had typed.
package struct HostProblem: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case invalid, quota, notRemovable, unknown, hidden, storage, other
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

    func what(_ messages: Messages) -> HTML {
        switch kind {
        case .invalid: messages.html("invalid.host")
        case .quota: messages.html("invalid.quota")
        case .notRemovable: messages.html("invalid.not-removable")
        case .unknown: messages.html("invalid.unknown")
        case .hidden: messages.html("invalid.hidden")
        case .storage: messages.html("invalid.storage")
        case .other: messages.html("invalid.other")
        }
    }

    func todo(_ messages: Messages) -> HTML {
        isInAddress ? messages.html("invalid.todo") : HTML()
    }
}
