import LinuxIO
import SceneLogin
import SceneModel
import SceneOAuth
import SceneProtocol
import SessionCore
import Varlink

/// A session with what the world holds for it.
final class LiveSession {
    var session: Session
    var timer: LoopTimer?
    var deadline: Instant?
    /// The login under way, between its order and its end.
    var login: RunningLogin?
    /// Scenes that follow the history.
    var streams: [CallID: ServedConnection] = [:]
    private var frames: [Int: [UInt8]] = [:]

    let key: SessionKey

    init(_ session: Session) {
        key = session.key
        self.session = session
    }

    /// What the session decides, and when it wants to hear of the time next.
    func decide(
        _ event: (inout Session, World) -> [Action], _ world: World
    ) -> (actions: [Action], deadline: Instant?) {
        Self.decide(&session, event, world)
    }

    // The session is large: looked at through the property, it would be copied.
    private static func decide(
        _ session: inout Session, _ event: (inout Session, World) -> [Action], _ world: World
    ) -> (actions: [Action], deadline: Instant?) {
        (event(&session, world), session.nextDeadline)
    }

    /// An event as it goes to every scene: encoded once.
    func frame(of event: Event) -> [UInt8] {
        if let frame = frames[event.at.sequence] { return frame }
        let frame = VarlinkMessage.reply(ConnectScene.Reply(event: event), continues: true)
        if frames.count >= 32 { frames.removeAll(keepingCapacity: true) }
        frames[event.at.sequence] = frame
        return frame
    }
}

/// What belongs to a login, and goes with it.
final class RunningLogin {
    /// Of the session.
    let id: Int
    /// Of the login pages, which know no sessions.
    let page: Int
    var pending: PendingAuthorization?
    var task: Task<Void, Never>?
    /// Shows the browser how it ended.
    var respond: ((LoginOutcome) -> Void)?

    init(id: Int, page: Int) {
        self.id = id
        self.page = page
    }
}
