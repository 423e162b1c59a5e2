import Glibc
import LinuxIO
import SceneLogin
import SceneModel
import SceneSystem
import SessionCore
import Varlink

// A restart is no event: scenes' connections and logins are kept by the service manager while this process lives, and
// taken up again by the next one.

extension Daemon {
    /// Has the stream's connection kept, where there is room.
    func keep(_ served: ServedConnection, _ scene: Scene, _ live: LiveSession) {
        guard let cookie = served.connection.id else { return }
        keep(
            served,
            ConnectionMarks.Mark(
                cookie: cookie, uid: live.key.uid, app: live.key.app, scene: scene.id, title: scene.title,
                activation: scene.activation, pid: scene.process.pid, startTime: scene.process.startTime,
                connected: scene.connected, epoch: live.session.record.epoch, sequence: served.stream.position,
                isQuiet: served.connection.unsentBytes == 0))
    }

    func keepMonitor(_ served: ServedConnection) {
        guard let monitor = served.monitor, let cookie = served.connection.id else { return }
        keep(
            served,
            ConnectionMarks.Mark(
                kind: .monitor, cookie: cookie, uid: served.peer.uid, app: monitor.app ?? "",
                pid: served.peer.pid, startTime: served.peer.startTime, connected: EventLoop.now.boot,
                isQuiet: served.connection.unsentBytes == 0))
    }

    private func keep(_ served: ServedConnection, _ mark: ConnectionMarks.Mark) {
        guard let descriptorStore, let slot = marks?.add(mark) else { return }
        served.markSlot = slot
        markReceipts(of: served, slot)
        served.connection.isHeldElsewhere = true
        descriptorStore.keep(served.connection.descriptor, name: Inheritance.Name.scene)
    }

    /// A stream's message is about to be written: until `settled` it may be out in part.
    func sending(_ served: ServedConnection, _ sequence: Int) {
        if let slot = served.markSlot { marks?.sending(slot, sequence) }
    }

    func settled(_ served: ServedConnection) {
        if let slot = served.markSlot, served.connection.unsentBytes == 0 { marks?.settled(slot) }
    }

    /// It was not: the mark is what it was before. Where it began a new epoch, a snapshot is still to come.
    func unsent(_ served: ServedConnection) {
        guard let slot = served.markSlot, let marks else { return }
        if let live = served.call?.session, marks.epoch(of: slot) == live.session.record.epoch,
            served.stream.position >= 0, live.session.history[served.stream.position + 1] != nil
        {
            marks.sending(slot, served.stream.position)
        } else {
            marks.began(slot, "", -1, isQuiet: false)
        }
        settled(served)
    }

    /// What a peer sends behind its stream is marked before it is looked at. Other connections are spared the look.
    private func markReceipts(of served: ServedConnection, _ slot: Int) {
        served.connection.onReceive = { bytes in
            self.marks?.busy(slot)
            served.wire.received(bytes)
            self.serve(served)
        }
    }

    func ended(_ served: ServedConnection) {
        if let slot = served.markSlot { marks?.remove(slot) }
        served.markSlot = nil
    }

    func described(_ scene: Scene) {
        guard let slot = connections[scene.call]?.markSlot else { return }
        marks?.describe(slot, title: scene.title, activation: scene.activation)
    }

    // MARK: Logins

    func keep(_ running: RunningLogin, _ kept: KeptLogin) {
        guard let descriptorStore, let file = try? kept.file() else { return }
        // Listeners first: whoever finds the login in the store finds all that it needs.
        for listener in pages.listeners(of: running.page) where keptPorts.insert(listener.port).inserted {
            descriptorStore.keep(listener.descriptor, name: Inheritance.Name.listener + "\(listener.port)")
        }
        let name = Inheritance.Name.login + Self.newIdentifier()
        running.keptName = name
        descriptorStore.keep(file.descriptor, name: name)
    }

    /// The login's code is used, or its end has come.
    func unkeep(_ running: RunningLogin) {
        guard let name = running.keptName else { return }
        running.keptName = nil
        descriptorStore?.remove(name: name)
    }

    func portsClosed() {
        for port in keptPorts.subtracting(pages.openPorts) {
            keptPorts.remove(port)
            descriptorStore?.remove(name: Inheritance.Name.listener + "\(port)")
        }
    }

    // MARK: Taking up

    /// What needs no store. Whoever comes to a login screen meanwhile waits there.
    func takeUp(_ inheritance: Inheritance) {
        for listener in inheritance.listeners { pages.inherit(listener.descriptor) }
        for name in inheritance.obsolete { descriptorStore?.remove(name: name) }
        if inheritance.marks == nil, let marks { descriptorStore?.keep(marks.descriptor, name: Inheritance.Name.marks) }
        takeUpScenes(inheritance.scenes, slots: inheritance.marks?.slots() ?? [:])
    }

    func takeUpLogins(_ inheritance: Inheritance) {
        for login in inheritance.logins where !takeUp(login.name, login.file) {
            descriptorStore?.remove(name: login.name)
        }
        pages.forgetInherited()
        let open = Set(pages.openPorts)
        keptPorts.formUnion(open)
        for listener in inheritance.listeners where !open.contains(where: { listener.name.hasSuffix("-\($0)") }) {
            descriptorStore?.remove(name: listener.name)
        }
    }

    /// False: the login cannot go on.
    private func takeUp(_ name: String, _ file: MemoryFile) -> Bool {
        guard let kept = KeptLogin(in: file), configuration.apps[kept.app] != nil,
            let live = sessions[kept.key], live.session.login == nil
        else { return false }
        let page = number()
        if let device = kept.device {
            takeUp(RestoredLogin(kept, .code(device.prompt)), page, name, live).device = device
            return true
        }
        guard
            let opened = try? pages.open(
                login: page, uid: live.key.uid, redirectURI: kept.redirectURI, screenAddress: kept.loginScreen,
                formToken: kept.formToken)
        else { return false }
        pages.ready(login: page, state: kept.state, authorizationUri: kept.authorizationUri)
        let shown = LoginPage(loginScreen: opened.loginScreen, authorizationUri: kept.authorizationUri)
        takeUp(RestoredLogin(kept, .page(shown)), page, name, live).pending = kept.pending
        loginPages[page] = live
        return true
    }

    private func takeUp(_ restored: RestoredLogin, _ page: Int, _ name: String, _ live: LiveSession) -> RunningLogin {
        let id = live.session.loginRestored(restored, since: started.boot, world: world)
        let running = RunningLogin(id: id, page: page)
        running.keptName = name
        live.login = running
        return running
    }

    private func takeUpScenes(_ descriptors: [Int32], slots: [UInt64: Int]) {
        var unclaimed = Set(slots.values)
        for descriptor in descriptors {
            guard let connection = try? Connection(loop: loop, adopting: OwnedDescriptor(descriptor)) else { continue }
            connection.isHeldElsewhere = true
            guard let marks, let cookie = connection.id, let slot = slots[cookie], unclaimed.contains(slot),
                takeUp(connection, marks[slot], slot)
            else {
                connection.close()
                continue
            }
            unclaimed.remove(slot)
        }
        for slot in unclaimed { marks?.remove(slot) }
    }

    private func takeUp(_ connection: Connection, _ mark: ConnectionMarks.Mark, _ slot: Int) -> Bool {
        guard mark.isQuiet, connection.peer.uid == mark.uid, store != nil else { return false }
        switch mark.kind {
        case .scene: return takeUpScene(connection, mark, slot)
        case .monitor:
            takeUpMonitor(connection, mark, slot)
            return true
        }
    }

    private func takeUp(_ connection: Connection, _ slot: Int, _ session: LiveSession?) -> ServedConnection {
        let served = connected(connection)
        served.wire = .endless()
        served.markSlot = slot
        markReceipts(of: served, slot)
        served.call = OpenCall(
            id: connections.nextCall(of: served), more: true, oneway: false, isManager: session == nil,
            session: session)
        return served
    }

    private func takeUpMonitor(_ connection: Connection, _ mark: ConnectionMarks.Mark, _ slot: Int) {
        let served = takeUp(connection, slot, nil)
        _ = served.account.callBegan()
        let stream = MonitorStream(callerUID: mark.uid, app: mark.app.isEmpty ? nil : mark.app)
        for (key, shown) in marks?.shown ?? [:] {
            let record = sessions[key]?.session.record
            let isContinued = shown.epoch == record?.epoch && shown.sequence <= record?.sequence ?? 0
            stream.positions[key] = isContinued || shown.sequence == 0 ? shown.sequence : -1
        }
        if let id = served.call?.id { add(served, stream, id) }
    }

    private func takeUpScene(_ connection: Connection, _ mark: ConnectionMarks.Mark, _ slot: Int) -> Bool {
        let key = SessionKey(uid: mark.uid, app: mark.app)
        guard let app = configuration.apps[mark.app] else { return false }
        let live = sessions[key] ?? LiveSession(Session(key: key, policy: app.policy, epoch: Self.newIdentifier()))
        guard live.session.scenes[mark.scene] == nil else { return false }
        sessions[key] = live
        let served = takeUp(connection, slot, live)
        // In another epoch, and in a history that ends before what the scene has had (an older copy of the state was put
        // back), nothing of before counts: a snapshot comes next.
        let isContinued = mark.epoch == live.session.record.epoch && mark.sequence <= live.session.record.sequence
        served.stream = SceneStream(scene: mark.scene, position: isContinued ? mark.sequence : -1)
        served.account.scenes += 1
        live.add(served)
        live.session.sceneRestored(
            Scene(
                id: mark.scene, call: served.call?.id ?? CallID(0),
                process: ProcessIdentity(pid: mark.pid, startTime: mark.startTime),
                title: mark.title, activation: mark.activation, connected: mark.connected))
        quotas.tally.lasting(key.uid).restoredScenes += 1
        return true
    }
}
