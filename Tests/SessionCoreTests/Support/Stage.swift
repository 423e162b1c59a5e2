import SceneModel

@testable import SessionCore

/// Plays the world for one session: gives it calls, carries out its actions, keeps what each call and scene got.
final class Stage {
    enum Outcome {
        case reply(Reply)
        case failed(Failure)
    }

    enum Disk {
        case works, full
        /// Each change waits for `disk(works:)`.
        case held
    }

    private(set) var session: Session
    /// What a crash leaves.
    private(set) var ledger: StoredSession
    private(set) var now = Moment(boot: Instant(nanoseconds: 1_000_000_000_000), wall: 1_800_000_000)
    private(set) var bootID = "boot-1"
    var disk = Disk.works
    var random = 0.5

    private(set) var open: Set<CallID> = []
    private(set) var outcomes: [CallID: Outcome] = [:]
    private(set) var told: [CallID: [LoginProgress]] = [:]
    var streams: [CallID: Replay] = [:]
    /// What the world is busy with.
    private(set) var login: LoginOrder?
    /// Its login screen, where that is kept for the next process: from when it is up until the user is back.
    var keptPage: LoginPage?
    private(set) var ends: [Int: LoginEnd] = [:]
    /// Questions whether a device's code was used, which wait for their answer, and when they were asked.
    var polls: [(login: Int, at: Instant)] = []
    private(set) var refreshes: [RefreshOrder] = []
    private(set) var revocations: [(record: RevocationRecord, idToken: Secret?)] = []
    private(set) var audits: [AuditEntry] = []
    /// How often the app was to be started.
    private(set) var starts = 0
    private(set) var change: Change?
    private(set) var faults: [String] = []
    private var number: Int
    private var published: Int
    var running: Set<ProcessIdentity> = []
    /// Told of each call, before the session is.
    var onCall: (CallID) -> Void = { _ in }
    /// Told of each action, before it is carried out.
    var onAction: (Action) -> Void = { _ in }
    /// Told of each change that has been stored.
    var onStored: (Change) -> Void = { _ in }
    /// Calls that ended, and those whose caller hung up: neither may be answered again, or for the first time.
    private var over: Set<CallID> = []
    private var left: Set<CallID> = []
    /// What each waiting call was told last.
    private(set) var lastTold: [CallID: LoginProgress] = [:]
    /// Scenes that have stopped reading: they cost no more than their place in the history.
    private(set) var stalled: Set<CallID> = []
    /// What the scene that connects next knows from before.
    var memory: Replay?
    /// The daemon dies when it has carried out so many more actions.
    var actionsLeft: Int?
    private(set) var isDead = false
    private var isTurnEndAwaited = false
    private var holdsTurn = false

    init(_ stored: StoredSession, policy: AppPolicy) {
        session = Session(stored, policy: policy)
        ledger = stored
        ledger.record = session.record
        published = stored.record.sequence
        number = 0
    }

    /// A session that the store does not know. Its calls are numbered from `first`.
    init(key: SessionKey = .test, policy: AppPolicy = .test(), numberedFrom first: Int = 0) {
        session = Session(key: key, policy: policy, epoch: "epoch")
        ledger = StoredSession(key: key, record: session.record)
        published = 0
        number = first
    }

    /// A session with accounts "a1", "a2", …, of which the first is current.
    convenience init(accounts: Int, policy: AppPolicy = .test()) {
        let records = (0..<accounts).map { AccountRecord.test("a\($0 + 1)") }
        var record = SessionRecord(epoch: "epoch")
        record.current = records.first?.account.id
        self.init(StoredSession(key: .test, record: record, accounts: records), policy: policy)
    }

    var world: World {
        World(
            now: now, bootID: bootID,
            newIdentifier: {
                self.number += 1
                return "id-\(self.number)"
            }, random: { self.random })
    }

    func nextNumber() -> Int {
        number += 1
        return number
    }

    // MARK: What happens

    /// Something happens to the session; its actions are carried out.
    func happens(_ body: (inout Session, World) -> [Action]) {
        if isDead { return }
        for action in body(&session, world) {
            if let left = actionsLeft {
                if left == 0 { return die(at: action) }
                actionsLeft = left - 1
            }
            onAction(action)
            carryOut(action)
        }
        if isTurnEndAwaited, !holdsTurn { endTurn() }
        while disk != .held, change != nil, !isDead { disk(works: disk == .works) }
    }

    private func endTurn() {
        isTurnEndAwaited = false
        happens { $0.turnEnded(world: $1) }
    }

    /// All of this happens in one turn of the daemon's loop.
    func inOneTurn(_ body: () -> Void) {
        holdsTurn = true
        body()
        holdsTurn = false
        if isTurnEndAwaited { endTurn() }
    }

    /// A peer calls.
    @discardableResult
    func call(
        scene: String? = nil, streams: Bool = true, _ body: (inout Session, Caller, World) -> [Action]
    ) -> CallID {
        let call = CallID(nextNumber())
        open.insert(call)
        onCall(call)
        happens { body(&$0, Caller(call: call, scene: scene, pid: 7, streams: streams), $1) }
        return call
    }

    /// The change in flight is stored, or is not.
    func disk(works: Bool) {
        if isDead { return }
        guard let change else { return faults.append("no change is in flight") }
        self.change = nil
        if works {
            ledger.store(change)
            onStored(change)
            happens { $0.changeCommitted(world: $1) }
        } else {
            happens { $0.commitFailed(reason: "full", world: $1) }
        }
    }

    /// A connection ends, and what its call waited for is of no interest any more.
    func hangUp(_ call: CallID) {
        open.remove(call)
        left.insert(call)
        lastTold[call] = nil
        stalled.remove(call)
        streams[call]?.close()
        for scene in session.scenes.values where scene.call == call {
            happens { session, _ in session.sceneDisconnected(call, of: scene.id) }
        }
        happens { session, _ in session.callAbandoned(call) }
    }

    /// Scenes that are gone take with them what they knew.
    func takeClosedStreams() -> [(CallID, Replay)] {
        let closed = streams.filter { !$0.value.isOpen }.sorted { $0.key.number < $1.key.number }
        for (call, _) in closed { streams[call] = nil }
        return closed
    }

    /// A scene stops reading.
    func stall(_ call: CallID) {
        if streams[call]?.isOpen == true { stalled.insert(call) }
    }

    /// It reads again, and gets what it has missed.
    func unstall(_ call: CallID) {
        guard stalled.remove(call) != nil, let place = streams[call]?.at.sequence else { return }
        follow(call, from: place)
    }

    /// What became of calls that are over is of no interest any more.
    func forgetOutcomes() {
        outcomes = [:]
        told = [:]
        audits = []
        ends = [:]
    }

    /// Both clocks go on; deadlines on the way are heeded.
    func wait(seconds: Double) {
        let end = now.boot.advanced(byNanoseconds: Int64(seconds * 1e9))
        while !isDead, let deadline = session.nextDeadline, deadline <= end {
            advance(to: max(deadline, now.boot))
            happens { $0.timeReached(world: $1) }
            if !isDead, let next = session.nextDeadline, next <= now.boot {
                return faults.append("time was reached, and the deadline stays")
            }
        }
        advance(to: end)
    }

    private func advance(to instant: Instant) {
        let whole = instant.nanoseconds / 1_000_000_000 - now.boot.nanoseconds / 1_000_000_000
        now.boot = instant
        now.wall += Int(whole)
    }

    /// Somebody sets the wall clock.
    func stepClock(bySeconds step: Int) {
        now.wall += step
    }

    /// Only CLOCK_BOOTTIME and the wall clock go on; no timer fires.
    func suspend(seconds: Int) {
        advance(to: now.boot.advanced(bySeconds: seconds))
    }

    /// The daemon dies; a new one takes up what is stored. What was in flight may be stored, or not. The service
    /// manager keeps these scenes' connections, and the login whose screen is up.
    func crash(
        changeIsStored: Bool = false, reboots: Bool = false, keeping kept: Set<CallID> = [],
        login keepsLogin: Bool = false, policy: AppPolicy? = nil
    ) {
        if changeIsStored, let change {
            ledger.store(change)
            onStored(change)
        }
        let former = session
        change = nil
        actionsLeft = nil
        isDead = false
        isTurnEndAwaited = false
        let keptLogin = keepsLogin && login?.login == former.login?.id ? former.login : nil
        login = nil
        ends = [:]
        polls = []
        refreshes = []
        revocations = []
        open = []
        outcomes = [:]
        over = []
        left = []
        told = [:]
        lastTold = [:]
        if reboots {
            bootID += "'"
            now.boot = Instant(nanoseconds: 5_000_000_000)
        }
        session = Session(ledger, policy: policy ?? session.policy)
        published = ledger.record.sequence
        if let keptLogin { restore(keptLogin) } else { keptPage = nil }
        let scenes = former.scenes.values.filter { kept.contains($0.call) }.sorted { $0.call.number < $1.call.number }
        let restored = scenes.compactMap { restore($0) }
        for call in streams.keys where !restored.contains(call) { streams[call]?.close() }
        stalled.formIntersection(restored)
        happens { $0.restarted(world: $1) }
        // What happened while nobody was there, or was on its way.
        for call in restored where !stalled.contains(call) {
            if let place = streams[call]?.at.sequence { follow(call, from: place) }
        }
    }

    private func restore(_ attempt: LoginAttempt) {
        guard let page = keptPage else { return }
        let restored = RestoredLogin(
            host: attempt.host, force: attempt.force, loginHint: attempt.loginHint, presenter: attempt.presenter.scene,
            shown: .page(page), expected: attempt.chosen)
        let id = session.loginRestored(restored, since: now.boot, world: world)
        login = LoginOrder(login: id, host: attempt.host, loginHint: attempt.loginHint, force: attempt.force)
    }

    /// Under the number of the new process's call; nil where the scene's stream is none of this epoch's.
    private func restore(_ scene: Scene) -> CallID? {
        guard let replay = streams[scene.call], replay.isOpen else { return nil }
        streams[scene.call] = nil
        let call = CallID(nextNumber())
        if stalled.remove(scene.call) != nil { stalled.insert(call) }
        streams[call] = replay
        open.insert(call)
        session.sceneRestored(
            Scene(
                id: scene.id, call: call, process: scene.process, title: scene.title, activation: scene.activation,
                connected: scene.connected))
        return call
    }

    /// What was to be done is not. An event may have gone out to some of the scenes.
    private func die(at action: Action) {
        isDead = true
        guard case .published = action else { return }
        for call in Array(streams.keys) where call.number.isMultiple(of: 2) {
            if let replay = streams[call], replay.isOpen, !stalled.contains(call) {
                follow(call, from: replay.at.sequence)
            }
        }
    }

    /// The world goes on with a login that was kept.
    func takeUp(_ id: Int) {
        guard let attempt = session.login else { return faults.append("no login was restored") }
        login = LoginOrder(
            login: id, host: attempt.host, loginHint: attempt.loginHint, force: attempt.force,
            presentation: attempt.presentation)
    }

    func mayBecome(_ policy: AppPolicy) {
        happens { $0.policyChanged(policy, world: $1) }
    }

    // MARK: What the session wants done

    private func carryOut(_ action: Action) {
        switch action {
        case .reply(let call, let reply): end(call, .reply(reply))
        case .fail(let call, let failure): end(call, .failed(failure))
        case .progress(let call, let progress):
            if outcomes[call] != nil { faults.append("progress after the end of call \(call.number)") }
            if open.contains(call) {
                told[call, default: []].append(progress)
                lastTold[call] = progress
            } else if !left.contains(call) {
                faults.append("progress of call \(call.number), which waits for none")
            }
        case .commit(let new):
            if change != nil { faults.append("a second change in flight") }
            check(new)
            change = new
        case .awaitTurnEnd:
            if isTurnEndAwaited { faults.append("the turn's end is awaited twice") }
            isTurnEndAwaited = true
        case .published(let sequence): publish(sequence)
        case .openStream(let call, let opening, let position):
            open(call, opening)
            if position != session.record.sequence { follow(call, from: position) }
        case .closeStream(let call):
            if open.remove(call) == nil { faults.append("the stream of call \(call.number) is closed twice") }
            left.insert(call)
            stalled.remove(call)
            streams[call]?.close()
        case .beginLogin(let order):
            if login != nil { faults.append("a second login at the same time") }
            login = order
        case .moveLogin(let order):
            if login?.login != order.login { faults.append("login \(order.login) moves, and is not under way") }
            if login?.host == order.host { faults.append("login \(order.login) moves to where it is") }
            login = order
            keptPage = nil
            polls.removeAll { $0.login == order.login }
        case .pollDevice(let id):
            if polls.contains(where: { $0.login == id }) { faults.append("a second poll at the same time") }
            if login?.login != id { faults.append("a poll for a login that is over") }
            polls.append((id, now.boot))
        case .endLogin(let id, let end):
            if ends.updateValue(end, forKey: id) != nil { faults.append("login \(id) is ended twice") }
            if login?.login == id {
                login = nil
                keptPage = nil
            }
        case .leaveScreen(let id):
            if login?.login != id { faults.append("login \(id) leaves a screen that is not there") }
            login = nil
            keptPage = nil
        case .refresh(let order):
            if refreshes.contains(where: { $0.account.id == order.account.id && $0.generation == order.generation }) {
                faults.append("a second refresh of \(order.account.id) at the same time")
            }
            refreshes.append(order)
        case .revoke(let record, let idToken):
            if revocations.contains(where: { $0.record.id == record.id }) {
                faults.append("the tokens of \(record.id) are being revoked already")
            }
            revocations.append((record, idToken))
        case .audit(let entry): audits.append(entry)
        // Another session's to hear.
        case .tellProvider, .tellAsker, .offerLogin: break
        case .startApp: starts += 1
        }
    }

    /// A scene that comes back remembers what it knew at its cursor.
    private func open(_ call: CallID, _ opening: Event) {
        let former = (memory.map { [$0] } ?? []) + streams.values.filter { $0.scene == opening.scene }
        var replay = former.first { $0.at == opening.at } ?? Replay()
        memory = nil
        if replay.scene == nil { replay.assume(at: opening.at) }
        replay.open(with: opening)
        streams[call] = replay
    }

    private func end(_ call: CallID, _ outcome: Outcome) {
        guard open.remove(call) != nil else {
            if over.contains(call) { faults.append("call \(call.number) ends twice") }
            if !over.contains(call), !left.contains(call) {
                faults.append("call \(call.number) is none of this session")
            }
            return
        }
        over.insert(call)
        lastTold[call] = nil
        outcomes[call] = outcome
    }

    private func check(_ change: Change) {
        var sequence = ledger.record.sequence
        for event in change.events {
            sequence += 1
            if event.at != Cursor(epoch: ledger.record.epoch, sequence: sequence) {
                faults.append("\(event.kind) has the place \(event.at), not \(sequence)")
            }
        }
        if change.session.sequence != sequence { faults.append("the events do not end at the session's sequence") }
    }

    private func publish(_ sequence: Int) {
        if sequence != session.record.sequence || sequence <= published { faults.append("published \(sequence)") }
        for call in Array(streams.keys) {
            guard let replay = streams[call], replay.isOpen, !stalled.contains(call) else { continue }
            follow(call, from: replay.at.sequence)
        }
        published = sequence
    }

    private func follow(_ call: CallID, from position: Int) {
        var place = position
        guard place < session.record.sequence else { return }
        var replay = streams.removeValue(forKey: call)
        defer { streams[call] = replay }
        while place < session.record.sequence {
            if let event = session.history[place + 1] {
                place += 1
                replay?.follow(event)
            } else {
                // It has fallen out of the history meanwhile.
                let (opening, position) = session.opening(scene: replay?.scene, after: Cursor())
                if position - place <= historyLimit { return faults.append("event \(place + 1) is missing") }
                place = position
                replay?.skip(to: opening)
            }
        }
    }

    // MARK: What the world reports

    func finishRefresh(_ index: Int) -> RefreshOrder { refreshes.remove(at: index) }

    func finishRevocation(_ index: Int) -> RevocationRecord { revocations.remove(at: index).record }
}
