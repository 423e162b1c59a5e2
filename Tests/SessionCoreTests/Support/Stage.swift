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
    private(set) var ends: [Int: LoginEnd] = [:]
    /// Questions whether a device's code was used, which wait for their answer, and when they were asked.
    var polls: [(login: Int, at: Instant)] = []
    private(set) var refreshes: [RefreshOrder] = []
    private(set) var revocations: [(record: RevocationRecord, idToken: Secret?)] = []
    private(set) var audits: [AuditEntry] = []
    private(set) var change: Change?
    private(set) var faults: [String] = []
    private var number = 0
    private var published: Int
    var running: Set<ProcessIdentity> = []
    /// Told of each change that has been stored.
    var onStored: (Change) -> Void = { _ in }

    init(_ stored: StoredSession, policy: AppPolicy) {
        session = Session(stored, policy: policy)
        ledger = stored
        published = stored.record.sequence
    }

    /// A session that the store does not know.
    init(policy: AppPolicy = .test()) {
        session = Session(key: .test, policy: policy, epoch: "epoch")
        ledger = StoredSession(key: .test, record: SessionRecord(epoch: "epoch"))
        published = 0
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
        for action in body(&session, world) { carryOut(action) }
        while disk != .held, change != nil { disk(works: disk == .works) }
    }

    /// A peer calls.
    @discardableResult
    func call(
        scene: String? = nil, streams: Bool = true, _ body: (inout Session, Caller, World) -> [Action]
    ) -> CallID {
        let call = CallID(nextNumber())
        open.insert(call)
        happens { body(&$0, Caller(call: call, scene: scene, pid: 7, streams: streams), $1) }
        return call
    }

    /// The change in flight is stored, or is not.
    func disk(works: Bool) {
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
        streams[call]?.close()
        for scene in session.scenes.values where scene.call == call {
            happens { $0.sceneDisconnected(call, of: scene.id, world: $1) }
        }
        happens { $0.callAbandoned(call, world: $1) }
    }

    /// Scenes that are gone are gone with what they knew.
    func forgetClosedStreams() {
        streams = streams.filter(\.value.isOpen)
    }

    /// Both clocks go on; deadlines on the way are heeded.
    func wait(seconds: Double) {
        let end = now.boot.advanced(byNanoseconds: Int64(seconds * 1e9))
        while let deadline = session.nextDeadline, deadline <= end {
            advance(to: max(deadline, now.boot))
            happens { $0.timeReached(world: $1) }
            if let next = session.nextDeadline, next <= now.boot {
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

    /// The daemon dies; a new one takes up what is stored. What was in flight may be stored, or not.
    func crash(changeIsStored: Bool = false, reboots: Bool = false) {
        if changeIsStored, let change {
            ledger.store(change)
            onStored(change)
        }
        change = nil
        login = nil
        ends = [:]
        polls = []
        refreshes = []
        revocations = []
        open = []
        for call in streams.keys { streams[call]?.close() }
        if reboots {
            bootID += "'"
            now.boot = Instant(nanoseconds: 5_000_000_000)
        }
        session = Session(ledger, policy: session.policy)
        published = ledger.record.sequence
        happens { $0.restarted(world: $1) }
    }

    /// The world goes on with a login that was kept.
    func takeUp(_ id: Int) {
        guard let attempt = session.login else { return faults.append("no login was restored") }
        login = LoginOrder(
            login: id, host: attempt.host, loginHint: attempt.loginHint, force: attempt.force,
            presentation: attempt.presentation)
    }

    func mayBecome(_ policy: AppPolicy) {
        happens { session, _ in
            session.policyChanged(policy)
            return []
        }
    }

    // MARK: What the session wants done

    private func carryOut(_ action: Action) {
        switch action {
        case .reply(let call, let reply): end(call, .reply(reply))
        case .fail(let call, let failure): end(call, .failed(failure))
        case .progress(let call, let progress):
            if outcomes[call] != nil { faults.append("progress after the end of call \(call.number)") }
            if open.contains(call) { told[call, default: []].append(progress) }
        case .commit(let new):
            if change != nil { faults.append("a second change in flight") }
            check(new)
            change = new
        case .published(let sequence): publish(sequence)
        case .openStream(let call, let opening, let position):
            open(call, opening)
            if position != session.record.sequence { follow(call, from: position) }
        case .closeStream(let call):
            open.remove(call)
            streams[call]?.close()
        case .beginLogin(let order):
            if login != nil { faults.append("a second login at the same time") }
            login = order
        case .pollDevice(let id):
            if polls.contains(where: { $0.login == id }) { faults.append("a second poll at the same time") }
            if login?.login != id { faults.append("a poll for a login that is over") }
            polls.append((id, now.boot))
        case .endLogin(let id, let end):
            if ends.updateValue(end, forKey: id) != nil { faults.append("login \(id) is ended twice") }
            if login?.login == id { login = nil }
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
        }
    }

    /// A scene that comes back remembers what it knew at its cursor.
    private func open(_ call: CallID, _ opening: Event) {
        let former = streams.values.filter { $0.scene == opening.scene && opening.scene != nil }
        var replay = former.last { $0.at == opening.at } ?? Replay()
        if replay.scene == nil { replay.assume(at: opening.at) }
        replay.open(with: opening)
        streams[call] = replay
    }

    private func end(_ call: CallID, _ outcome: Outcome) {
        guard open.remove(call) != nil else {
            if outcomes[call] != nil { faults.append("call \(call.number) ends twice") }
            return
        }
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
            guard let replay = streams[call], replay.isOpen else { continue }
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
            place += 1
            guard let event = session.history[place] else { return faults.append("event \(place) is missing") }
            replay?.follow(event)
        }
    }

    // MARK: What the world reports

    func finishRefresh(_ index: Int) -> RefreshOrder { refreshes.remove(at: index) }

    func finishRevocation(_ index: Int) -> RevocationRecord { revocations.remove(at: index).record }
}
