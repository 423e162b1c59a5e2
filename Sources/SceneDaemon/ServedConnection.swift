import LinuxIO
import SessionCore
import Varlink

/// A peer's connection with the call that it waits for.
final class ServedConnection {
    let connection: Connection
    /// Its user's, which it is charged to.
    let account: UserAccount
    /// Bytes of input that it is charged for.
    var charged = 0
    /// In the table of connections.
    var slot = 0
    var wire = ServerConnection()
    /// The call that is being answered.
    var call: OpenCall?
    /// ConnectScene's: what is still to be written follows the history.
    var stream = SceneStream()
    /// Monitor's, likewise.
    var monitor: MonitorStream?
    var isServing = false
    /// In its user's queue.
    var isWaiting = false
    var isReading = true
    /// Where the marks of a connection that is kept over a restart are.
    var markSlot: Int?
    /// The session that it used last; its app's policy has let this peer in.
    var admitted: LiveSession?

    var peer: Peer { connection.peer }

    init(_ connection: Connection, account: UserAccount) {
        self.connection = connection
        self.account = account
        connection.meter = account.bytes
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

/// A scene's reading of its session's history. Its place is a number, whatever the scene has not read yet.
struct SceneStream {
    /// The scene; nil where there is no stream.
    var scene: String?
    /// The sequence of the event that was written last.
    var position = 0
    /// Among the session's streams.
    var index = 0
}
