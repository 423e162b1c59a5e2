import LinuxIO
import SessionCore
import Varlink

/// A peer's connection with the call that it waits for.
final class ServedConnection {
    let connection: Connection
    var wire = ServerConnection()
    /// The call that is being answered.
    var call: OpenCall?
    /// ConnectScene's or Monitor's: what is still to be written follows the history.
    var stream: EventStream?
    var isServing = false
    var isReading = true
    /// Where the marks of a connection that is kept over a restart are.
    var slot: Int?
    /// Which apps' policies have let this peer in.
    var admittedApps: Set<String> = []

    var peer: Peer { connection.peer }

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Bytes that a peer may leave unread before its next call waits.
    static let unreadLimit = 256 << 10
}

struct OpenCall {
    var id: CallID
    var more: Bool
    var oneway: Bool
    /// Errors are told in the words of org.scened.Manager.
    var isManager = false
    var session: LiveSession?
}

/// A reader of sessions' histories. Its place is a number, whatever it has not read yet.
final class EventStream {
    enum Kind {
        case scene(String)
        /// One of org.scened.Manager: every session of the uid, or of all, and of the app, or of all.
        case monitor(uid: UInt32?, app: String?)
    }

    let call: CallID
    let kind: Kind
    /// The sequence of the event that was written last, by session.
    var positions: [SessionKey: Int] = [:]

    init(call: CallID, kind: Kind) {
        self.call = call
        self.kind = kind
    }
}
