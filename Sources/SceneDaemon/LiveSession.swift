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
    /// HandleResponse with the identity provider's wish that the app ask it, until there is something to open.
    var inviting: CallID?
    /// Scenes that follow the history.
    private(set) var streams: [ServedConnection] = []
    /// Under way while there are scenes that have not had their turn.
    var delivery: Delivery?
    /// For scenes that have missed events.
    private(set) var replays = Replays()
    var replayTimer: LoopTimer?
    private var newestFrame: (sequence: Int, bytes: [UInt8])?
    private var knownAnswer: [UInt8]?
    private var knownToken: KnownToken?

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

    // The session is large: where it is looked at through the property, it is copied.
    private static func decide(
        _ session: inout Session, _ event: (inout Session, World) -> [Action], _ world: World
    ) -> (actions: [Action], deadline: Instant?) {
        (event(&session, world), session.nextDeadline)
    }

    /// LoginIfRequired's answer where no login is needed: known, once it was given, until a change is committed.
    func answerIfSignedIn(scene: String?, options: LoginOptions?) -> [UInt8]? {
        if scene == nil, options == nil, let knownAnswer { return knownAnswer }
        guard Self.isAlreadySignedIn(&session, scene, options) else { return nil }
        if let knownAnswer { return knownAnswer }
        guard let progress = session.alreadySignedIn else { return nil }
        let message = VarlinkMessage.reply(LoginIfRequired.Reply(progress: progress))
        knownAnswer = message
        return message
    }

    private static func isAlreadySignedIn(_ session: inout Session, _ scene: String?, _ options: LoginOptions?) -> Bool
    {
        session.isAlreadySignedIn(scene: scene, options: options)
    }

    /// The session has changed.
    func forgetReply() {
        knownAnswer = nil
        knownToken = nil
    }

    /// GetAccessToken's answer where it was given before, nothing was committed since, and its token has as long to live.
    func knownAnswer(_ call: GetAccessToken.Parameters, _ now: Moment) -> Secret? {
        guard let knownToken, knownToken.answers(call, now) else { return nil }
        return knownToken.message
    }

    /// It holds before `end`, and while the wall clock shows the same second.
    func remember(_ message: Secret, _ call: GetAccessToken.Parameters, end: Instant, wall: Int) {
        knownToken = KnownToken(call, message, end: end, wall: wall)
    }

    /// The newest event as it goes to every scene: encoded once.
    func frame() -> [UInt8]? {
        let sequence = session.record.sequence
        if let newestFrame, newestFrame.sequence == sequence { return newestFrame.bytes }
        guard let event = session.history[sequence] else { return nil }
        let frame = VarlinkMessage.reply(ConnectScene.Reply(event: event), continues: true)
        newestFrame = (sequence, frame)
        return frame
    }

    /// What comes behind this place in the history, or some of it; nil where the history no longer has it.
    func frames(after position: Int) -> (bytes: [UInt8], last: Int)? {
        let newest = session.record.sequence
        if position == newest - 1 { return frame().map { ($0, newest) } }
        return replays.piece(after: position, upTo: newest, of: session.history).map { ($0.bytes, $0.last) }
    }

    func forgetReplays() {
        replays = Replays()
        replayTimer = nil
    }
}

/// GetAccessToken's answer that was given last.
private final class KnownToken {
    let message: Secret
    private let call: GetAccessToken.Parameters
    private let end: Instant
    private let wall: Int

    init(_ call: GetAccessToken.Parameters, _ message: Secret, end: Instant, wall: Int) {
        self.message = message
        self.call = call
        self.end = end
        self.wall = wall
    }

    func answers(_ other: GetAccessToken.Parameters, _ now: Moment) -> Bool {
        now.wall == wall && now.boot < end && other.rejected == nil && other.account == call.account
            && other.minimumValiditySeconds == call.minimumValiditySeconds && other.scope == call.scope
            && other.audience == call.audience
    }
}

/// A walk over a session's streams with the events that are new.
struct Delivery {
    /// The newest event when it began.
    let newest: Int
    /// The index of the stream whose turn is next.
    var next = 0
}

extension LiveSession {
    func add(_ served: ServedConnection) {
        served.stream.index = streams.count
        streams.append(served)
    }

    /// Returns the stream that has moved into the gap, ahead of its turn in a delivery.
    func remove(_ served: ServedConnection) -> ServedConnection? {
        let index = served.stream.index
        served.stream.scene = nil
        guard let last = streams.popLast(), last !== served else { return nil }
        streams[index] = last
        last.stream.index = index
        return delivery.map { index < $0.next } ?? false ? last : nil
    }
}

/// What belongs to a login, and goes with it.
final class RunningLogin {
    /// Of the session.
    let id: Int
    /// Of the login pages, which know no sessions.
    let page: Int
    var pending: PendingAuthorization?
    /// In place of `pending`, for a code that is used on another device.
    var device: DeviceAuthorization?
    var task: Task<Void, Never>?
    /// Grows with each login host that is asked, so that late answers are known.
    var attempt = 0
    /// The login host cannot be used, and the user has been told on the screen.
    var hasFailed = false
    /// As the user typed it on the screen.
    var accountName: String?
    /// Shows the browser how it ended.
    var respond: ((LoginOutcome) -> Void)?
    /// Of what the service manager keeps of it.
    var keptName: String?

    init(id: Int, page: Int) {
        self.id = id
        self.page = page
    }
}
