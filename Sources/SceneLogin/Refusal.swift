/// Why a request is not served. The login goes on as if it had not come.
enum Refusal: CaseIterable {
    case malformed, method, unknownAddress, unknownState, usedState, wrongHost, notNavigation, otherUser

    var status: UInt32 {
        switch self {
        case .malformed, .unknownState, .wrongHost: 400
        case .notNavigation, .otherUser: 403
        case .unknownAddress: 404
        case .method: 405
        case .usedState: 409
        }
    }

    var explanation: String {
        switch self {
        case .malformed: "The request could not be understood."
        case .method: "This address can only be opened as a page."
        case .unknownAddress: "There is no page at this address. It may belong to a sign-in that has ended."
        case .unknownState: "This answer belongs to no sign-in that is under way."
        case .usedState: "This answer has been used already. The sign-in is being completed, or has ended."
        case .wrongHost: "The address in the request is not the one that the sign-in was opened at."
        case .notNavigation: "This address can only be opened as a page of its own, not by a script or in a frame."
        case .otherUser: "This sign-in belongs to another user of this computer, or the request's sender is gone."
        }
    }
}

extension Page {
    init(_ refusal: Refusal) {
        self.init(
            title: "This request was refused", tone: .failure,
            paragraphs: [
                HTML.text(refusal.explanation),
                HTML(
                    "Nothing has changed. To sign in, open the sign-in page from the app again. \(HTML.closeWindow.markup)"
                ),
            ])
    }
}
