import SceneProtocol
import SessionCore
import Varlink

/// Pieces of a history as scenes get them that have missed much: the messages one behind the other, so that each is encoded
/// once for all, and many are written at a time.
struct Replays {
    struct Piece {
        var bytes: [UInt8] = []
        /// The sequence of the last event in it.
        var last: Int
    }

    /// A piece ends where the sequence is a multiple of this, so that scenes that have missed more or less share the rest,
    private static let stride = 32
    /// or once it is as large as this, since whoever reads slowly may have one waiting.
    private static let enough = 16 << 10
    /// More than a whole history has; then all are forgotten.
    private static let most = 2 * historyLimit / stride

    /// By the sequence that they come after.
    private var pieces: [Int: Piece] = [:]

    var isEmpty: Bool { pieces.isEmpty }

    /// Nil where the history no longer has the next event.
    mutating func piece(after position: Int, upTo newest: Int, of history: History) -> Piece? {
        if let piece = pieces[position] { return piece }
        var piece = Piece(last: position)
        repeat {
            guard let event = history[piece.last + 1] else { break }
            piece.bytes += VarlinkMessage.reply(ConnectScene.Reply(event: event), continues: true)
            piece.last += 1
        } while piece.last < newest && !piece.last.isMultiple(of: Self.stride) && piece.bytes.count < Self.enough
        guard piece.last > position else { return nil }
        if pieces.count >= Self.most { pieces.removeAll() }
        pieces[position] = piece
        return piece
    }
}
