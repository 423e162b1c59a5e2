import SceneModel

/// What a client knows of a session that follows its stream: the opening, and then each event, once and in order.
struct Replay {
    var accounts: [String: Account] = [:]
    var current: String?
    var selectionPending = false
    var loginPending = false
    var loginUnderWay = false
    var locked = false
    var loginHost = ""
    /// Of other apps, as far as the stream has told.
    private(set) var requests: Set<String> = []
    private(set) var scene: String?
    private(set) var at = Cursor()
    private(set) var events: [Event] = []
    /// What a client would have to complain about.
    private(set) var faults: [String] = []
    private(set) var isOpen = true
    /// What the product's own client makes of the same stream.
    private(set) var client = Snapshot()

    init() {}

    mutating func open(with event: Event) {
        isOpen = true
        scene = event.scene
        events = [event]
        switch event.kind {
        case .snapshot:
            take(event)
        case .resumed:
            if event.at != at { faults.append("resumed at \(event.at), not at \(at)") }
        default:
            faults.append("the stream opens with \(event.kind)")
        }
    }

    mutating func close() {
        isOpen = false
    }

    /// Only the order and the place: for clients that came without a memory of the cursor they give.
    mutating func assume(at cursor: Cursor) {
        at = cursor
    }

    private mutating func take(_ event: Event) {
        guard let snapshot = event.snapshot else { return faults.append("a snapshot without one") }
        at = event.at
        client.apply(event)
        accounts = Dictionary(snapshot.accounts.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        current = snapshot.current?.id
        selectionPending = snapshot.pending == .selection
        loginPending = snapshot.pending == .login
        loginUnderWay = snapshot.loginUnderWay
        locked = snapshot.locked
        loginHost = snapshot.loginHost
    }

    /// Events were lost on the way: a snapshot makes up for them.
    mutating func skip(to event: Event) {
        if event.kind != .snapshot || event.gap != true || event.at.sequence <= at.sequence {
            faults.append("\(event.kind) at \(event.at) in place of a gap after \(at)")
        }
        events.append(event)
        take(event)
    }

    mutating func follow(_ event: Event) {
        if events.count >= 4096 { events.removeFirst(2048) }
        events.append(event)
        client.apply(event)
        if event.at != Cursor(epoch: at.epoch, sequence: at.sequence + 1) {
            faults.append("\(event.kind) at \(event.at) comes after \(at)")
        }
        at = event.at
        switch event.kind {
        case .loggedIn, .accountChanged:
            keep(event)
        case .loginRequired:
            if event.account != nil { return keep(event) }
            loginPending = true
            selectionPending = false
        case .loggedOut:
            guard let id = event.account?.id, accounts[id] != nil else {
                return faults.append("loggedOut of an account that was not there")
            }
            accounts[id] = nil
        case .currentUserChanged:
            if event.previous?.id != current { faults.append("previous is not who was current") }
            current = event.current?.id
            selectionPending = false
            loginPending = false
        case .selectionRequired:
            selectionPending = true
            loginPending = false
            if Set((event.accounts ?? []).map(\.id)) != Set(accounts.keys) {
                faults.append("selectionRequired offers other accounts than there are")
            }
        case .loginStarted:
            if loginUnderWay { faults.append("a second login starts") }
            loginUnderWay = true
        case .loginEnded:
            if !loginUnderWay { faults.append("a login ends that never started") }
            loginUnderWay = false
        case .loginHostChanged:
            loginHost = event.loginHost ?? ""
        case .locked, .unlocked:
            locked = event.kind == .locked
        case .authorizationRequested:
            guard let request = event.request, event.presenter != nil, event.requestingApp != nil else {
                return faults.append("a request without its members")
            }
            requests.insert(request)
        case .authorizationEnded:
            // Another asked scene may have been named in between.
            if event.request == nil || event.reason == nil { faults.append("a request ends without its members") }
            requests.remove(event.request ?? "")
        case .snapshot, .resumed:
            faults.append("\(event.kind) inside a stream")
        }
    }

    private mutating func keep(_ event: Event) {
        guard let account = event.account else { return faults.append("\(event.kind) without its account") }
        accounts[account.id] = account
    }

    var pending: Pending {
        if let user = current.flatMap({ accounts[$0] }), user.state != .loginRequired { return .nothing }
        if selectionPending { return .selection }
        return loginPending || current != nil ? .login : .nothing
    }

    /// For who has to find a fault.
    var story: String {
        events.map { "\($0.kind) \($0.at.sequence) \($0.snapshot?.loginUnderWay ?? false)" }.joined(separator: ", ")
    }

    /// How this differs from the session itself; nil where it does not.
    func difference(from snapshot: Snapshot) -> String? {
        let there = Dictionary(snapshot.accounts.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        if accounts != there { return "accounts \(accounts.keys.sorted()) for \(there.keys.sorted())" }
        if current != snapshot.current?.id { return "current \(current ?? "nobody")" }
        if pending != snapshot.pending { return "pending \(pending) for \(snapshot.pending)" }
        if locked != snapshot.locked { return "locked \(locked)" }
        if loginUnderWay != snapshot.loginUnderWay { return "login under way \(loginUnderWay)" }
        if loginHost != snapshot.loginHost { return "login host \(loginHost)" }
        // The presenter may be another by now, which is no event.
        var mine = client
        mine.presenter = snapshot.presenter
        if mine != snapshot { return "as the client library follows it: \(mine), not \(snapshot)" }
        return nil
    }
}
