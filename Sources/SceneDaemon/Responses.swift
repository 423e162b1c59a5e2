import LinuxIO
import SceneModel
import SceneOAuth
import SceneProtocol
import SceneSystem

// Authorization responses that come as a URL: the desktop opened it for an app's private scheme (RFC 8252, section 7.1),
// or a person pasted the address that a browser elsewhere ended at.

/// Why a response goes to no login. For the journal; whoever brought it is told only that nothing waits for it.
enum ResponseRefusal: Error {
    case malformed, unknownState, otherUser, usedState, otherAddress, otherScene, otherIssuer
    // Of messages alone.
    case badMessage(IdentityProviderMessage.Fault)
    case untimely, replayed, senderNotAllowed, otherSender, otherNonce, unknownRequest, unknownHost, notInvited, busy
    case noStore

    var name: String {
        if case .badMessage(let fault) = self { "\(fault)" } else { "\(self)" }
    }

    var explanation: String {
        switch self {
        case .malformed: "it is no authorization response"
        case .unknownState: "no login waits for it, or none any more"
        case .otherUser: "it answers another user's login"
        case .usedState: "its login is answered already"
        case .otherAddress: "it came to another address than its login's"
        case .otherScene: "the scene that it names does not wait for its login"
        case .otherIssuer: "it is not from the login host that was asked"
        case .badMessage(let fault): fault.rawValue
        case .untimely: "it has expired, or is to be good for longer than ten minutes"
        case .replayed: "it was here before, or there are too many like it"
        case .senderNotAllowed: "no app takes it from this sender (IdentityProvider=, IdentityProviderFor=)"
        case .otherSender: "it is not from the identity provider that was asked"
        case .otherNonce: "it has not the nonce of the request that it names"
        case .unknownRequest: "no login waits for an answer to its request, or none any more"
        case .unknownHost: "it names a login host that the identity provider app does not have"
        case .notInvited: "the identity provider has not begun that login"
        case .busy: "the session is locked, a login is under way, or too many requests wait"
        case .noStore: "state cannot be read"
        }
    }
}

extension Daemon {
    /// Hands a response to the login whose state it carries, where it is the caller's own, and the named scene's.
    func handle(_ response: HandleResponse.Parameters, _ request: Request) {
        let peer = request.peer
        do throws(ResponseRefusal) {
            if IdentityProviderMessage.isMeant(by: response.url) { return try take(response, request) }
            try deliver(response, uid: peer.uid)
            answer(request.id, HandleResponse.Reply(handled: true))
        } catch {
            Journal.write(
                JournalEntry(
                    priority: .warning,
                    message: "Refused a response from pid \(peer.pid) of uid \(peer.uid): \(error.explanation).",
                    messageID: MessageID.responseRefused,
                    fields: [
                        ("SCENED_UID", "\(peer.uid)"), ("SCENED_PEER_PID", "\(peer.pid)"),
                        ("SCENED_REASON", error.name),
                    ]))
            answer(request.id, HandleResponse.Reply(handled: false))
        }
    }

    private func deliver(_ response: HandleResponse.Parameters, uid: UInt32) throws(ResponseRefusal) {
        guard let mark = response.url.utf8.firstIndex(of: UInt8(ascii: "?")),
            let callback = CallbackParameters(query: String(response.url[mark...].dropFirst())),
            let state = callback.state.map({ Secret($0) })
        else { throw .malformed }
        guard let (live, running, pending) = loginOnItsWay(where: { Secret($1.state) == state }) else {
            throw .unknownState
        }
        guard live.key.uid == uid else { throw .otherUser }
        guard live.session.login?.awaitsUser == true else { throw .usedState }
        guard pending.isAnswered(at: response.url[..<mark]) else { throw .otherAddress }
        if let scene = response.scene, !live.session.isLogin(of: scene) { throw .otherScene }
        guard take(callback, running, live, respond: { _ in }) else { throw .otherIssuer }
        pages.returned(login: running.page)
    }

    /// Whosever it is: one whose user has been sent to the login host. Few are, however many sessions there are.
    func loginOnItsWay(
        where isMeant: (LiveSession, PendingAuthorization) -> Bool
    ) -> (LiveSession, RunningLogin, PendingAuthorization)? {
        for live in loginPages.values {
            if let running = live.login, let pending = running.pending, isMeant(live, pending) {
                return (live, running, pending)
            }
        }
        return nil
    }
}
