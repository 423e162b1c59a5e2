import LinuxIO

/// Which users' screens are locked, as logind tells (org.freedesktop.login1(5)).
package final class LoginSessions {
    private static let logind = "org.freedesktop.login1"
    private static let session = "org.freedesktop.login1.Session"
    private static let manager = "org.freedesktop.login1.Manager"
    private static let busName = "org.freedesktop.DBus"
    private static let noSession = "org.freedesktop.login1.NoSuchSession"
    private static let noObject = "org.freedesktop.DBus.Error.UnknownObject"
    private static let properties = "org.freedesktop.DBus.Properties"

    private let bus: SystemBus
    /// Nobody else's sessions matter; nil: all users' do.
    private let uid: UInt32?
    /// Sessions that a process before this one knew to have been asked to lock.
    private var askedBefore: Set<String>
    /// logind's unique name on the bus. Who else sends its signals is a forger.
    private var owner: String?
    private var users: [UInt32: UserScreens] = [:]
    private var uids: [String: UInt32] = [:]
    /// Sessions that are being looked at, with what they were asked meanwhile.
    private var looks: [String: Bool?] = [:]
    private var isListed = false

    /// Why changes are not heard of; nil where they are.
    package private(set) var problem: String? = "logind has not answered yet"
    private var isProblemTold = false
    /// One user's screen has changed, or, with nil, everybody's may have.
    package var onChange: (UInt32?) -> Void = { _ in }
    /// Once for each outage.
    package var onProblem: (String) -> Void = { _ in }

    package init(loop: EventLoop, of uid: UInt32?, askedBefore: Set<String> = []) {
        self.uid = uid
        self.askedBefore = askedBefore
        bus = SystemBus(loop: loop)
        bus.onOpened = { [unowned self] in opened() }
        bus.onSignal = { [unowned self] in heard($0) }
        bus.onLost = { [unowned self] in lost("the system bus cannot be reached: \($0)") }
    }

    package func open() { bus.open() }

    /// Whether the user's screen is locked; nil where they have no session.
    package func isLocked(_ uid: UInt32) -> Bool? { users[uid]?.isLocked }

    /// All sessions that were asked to lock, and whose lock logind's properties do not show.
    package var unhinted: Set<String> { Set(users.values.flatMap(\.unhinted)) }

    private func opened() {
        bus.match(
            "type='signal',sender='\(Self.busName)',interface='\(Self.busName)',member='NameOwnerChanged',"
                + "arg0='\(Self.logind)'")
        bus.match("type='signal',sender='\(Self.logind)',interface='\(Self.manager)',member='SessionNew'")
        bus.match("type='signal',sender='\(Self.logind)',interface='\(Self.manager)',member='SessionRemoved'")
        for member in ["Lock", "Unlock"] {
            bus.match("type='signal',sender='\(Self.logind)',interface='\(Self.session)',member='\(member)'")
        }
        bus.match(
            "type='signal',sender='\(Self.logind)',interface='\(Self.properties)',member='PropertiesChanged',"
                + "arg0='\(Self.session)'")
        bus.call(Self.busName, "/org/freedesktop/DBus", Self.busName, "GetNameOwner", Self.logind) { [unowned self] in
            guard $0.error == nil, let name = $0.string() else { return lost("logind does not run") }
            owned(by: name)
        }
    }

    private func lost(_ reason: String) {
        problem = reason
        isListed = false
        looks = [:]
        if !isProblemTold { onProblem(reason) }
        isProblemTold = true
    }

    private func owned(by name: String) {
        guard !name.isEmpty else {
            owner = nil
            return lost("logind does not run")
        }
        let isNewLogind = owner.map { $0 != name } ?? true
        owner = name
        bus.call(Self.logind, "/org/freedesktop/login1", Self.manager, "ListSessions") { [unowned self] in
            if $0.error != nil { return bus.reopen() }
            listed($0, isNewLogind)
        }
    }

    private func listed(_ message: BusMessage, _ isNewLogind: Bool) {
        var open: Set<String> = []
        message.forEachStructure("susso") {
            guard message.string() != nil, let uid = message.unsigned(), message.string() != nil,
                message.string() != nil, let path = message.string(.path)
            else { return }
            if self.uid == nil || self.uid == uid { open.insert(path) }
        }
        for path in Set(uids.keys).subtracting(open) { ended(path) }
        var waiting = open.count
        if waiting == 0 { return known() }
        for path in open {
            look(path, isNewLogind) { [unowned self] in
                waiting -= 1
                if waiting == 0 { known() }
            }
        }
    }

    private func known() {
        isListed = true
        problem = nil
        isProblemTold = false
        askedBefore = []
        onChange(nil)
    }

    private func look(_ path: String, _ isNewLogind: Bool, _ done: @escaping () -> Void = {}) {
        looks[path] = .some(nil)
        bus.call(Self.logind, path, Self.properties, "GetAll", Self.session) { [unowned self] in
            switch $0.error {
            case nil: found(path, Properties($0), isNewLogind)
            // It has ended by now.
            case Self.noObject?, Self.noSession?: break
            default: return bus.reopen()
            }
            looks[path] = nil
            done()
        }
    }

    private func found(_ path: String, _ properties: Properties, _ isNewLogind: Bool) {
        guard let uid = properties.uid, self.uid == nil || self.uid == uid, properties.isOfUser else { return }
        uids[path] = uid
        users[uid, default: UserScreens()].found(
            path, isGraphical: properties.isGraphical ?? false, lockedHint: properties.lockedHint ?? false,
            wasAsked: askedBefore.contains(path), isNewLogind: isNewLogind)
        if let locks = looks[path] ?? nil { users[uid]?.asked(path, locks: locks) }
        changed(uid)
    }

    private func ended(_ path: String) {
        guard let uid = uids.removeValue(forKey: path) else { return }
        users[uid]?.ended(path)
        changed(uid)
    }

    private func changed(_ uid: UInt32) {
        if isListed { onChange(uid) }
    }

    private func heard(_ signal: BusMessage) {
        if signal.sender == Self.busName {
            if signal.string() == Self.logind, signal.string() != nil, let new = signal.string() { owned(by: new) }
            return
        }
        guard let owner, signal.sender == owner else { return }
        let path = signal.path
        switch signal.member {
        case "SessionNew":
            if signal.string() != nil, let path = signal.string(.path) { look(path, false) }
        case "SessionRemoved":
            if signal.string() != nil, let path = signal.string(.path) { ended(path) }
        case "Lock", "Unlock":
            let locks = signal.member == "Lock"
            if looks[path] != nil { looks[path] = .some(locks) }
            guard let uid = uids[path] else { return }
            users[uid]?.asked(path, locks: locks)
            changed(uid)
        case "PropertiesChanged":
            guard let uid = uids[path], signal.string() == Self.session,
                let locked = Properties(signal).lockedHint
            else { return }
            users[uid]?.hinted(path, locked)
            changed(uid)
        default: break
        }
    }
}

/// What matters of a session's properties; nil where the message does not hold it.
private struct Properties {
    var uid: UInt32?
    var isGraphical: Bool?
    /// A person's, and no greeter's or service's.
    var isOfUser = false
    var lockedHint: Bool?

    init(_ message: BusMessage) {
        var found = (uid: UInt32?.none, type: String?.none, class: String?.none, lockedHint: Bool?.none)
        message.forEachProperty { name in
            switch name {
            case "User":
                found.uid = message.variant("(uo)") {
                    message.structure("uo") {
                        let uid = message.unsigned()
                        return message.string(.path) == nil ? nil : uid
                    }
                }
            case "Type": found.type = message.variant("s") { message.string() }
            case "Class": found.class = message.variant("s") { message.string() }
            case "LockedHint": found.lockedHint = message.variant("b") { message.bool() }
            default: message.skipVariant()
            }
        }
        uid = found.uid
        isGraphical = found.type.map { ["x11", "wayland", "mir"].contains($0) }
        isOfUser = found.class?.hasPrefix("user") ?? false
        lockedHint = found.lockedHint
    }
}
