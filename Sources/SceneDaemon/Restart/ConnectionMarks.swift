import LinuxIO
import SceneModel
import SessionCore

/// What each kept connection means, and how far it has got, in memory that outlives the process.
///
/// A mark is changed before and after each send, so that whoever comes after a crash knows whether a message may have
/// gone out in part: such a connection is of no more use.
final class ConnectionMarks {
    /// Connections that are kept, at most: what the service manager carries well.
    static let capacity = 1024
    static let name = "marks"

    /// What a connection's unending call is. The numbers are those of the layout.
    enum Kind: UInt8 {
        case scene = 0
        case monitor = 1
    }

    /// What is known of a connection. A monitor has no more than its filter: where it is in each session's history is
    /// what `shown` says, as long as it is quiet.
    struct Mark: Equatable {
        var kind = Kind.scene
        var cookie: UInt64
        var uid: UInt32
        /// Of a monitor: empty where it shows all.
        var app: String
        var scene = ""
        var title: String?
        var activation = Activation.background
        var pid: Int32
        var startTime: UInt64
        var connected: Instant
        var epoch = ""
        /// The sequence of the last event that was written.
        var sequence = 0
        /// Nothing was under way: neither a message to the peer nor one from it.
        var isQuiet: Bool
    }

    private enum Layout {
        // The last digit grows with each change below.
        static let magic: UInt64 = 0x7363_656e_6564_0002
        static let header = 64
        static let slot = 704
        static let (cookie, sequence, startTime, connected) = (0, 8, 16, 24)
        static let (uid, pid, state, activation, kind) = (32, 36, 40, 41, 42)
        static let (epoch, app, scene, title) = (48, 96, 176, 440)
        static let (epochRoom, appRoom, sceneRoom, titleRoom) = (46, 78, 262, 262)
        /// Behind the slots: how far each session's history was shown to monitors.
        static let sessions = header + capacity * slot
        static let session = 144
        static let (shownUID, shownSequence, shownEpoch, shownApp) = (0, 8, 16, 64)
        static let size = sessions + sessionCapacity * session
    }

    /// Sessions of which a monitor that is kept can have seen anything, at most.
    static let sessionCapacity = 1024

    private let file: MemoryFile
    private var free: [Int]
    private var sessions: [SessionKey: Int] = [:]
    private var bytes: UnsafeMutableRawBufferPointer { file.bytes }

    var descriptor: Int32 { file.descriptor }

    init() throws(SystemError) {
        file = try MemoryFile(name: "scened-marks", size: Layout.size)
        free = (0..<Self.capacity).reversed()
        bytes.storeBytes(of: Layout.magic, as: UInt64.self)
    }

    /// Takes over those of the process before; nil where another version of ours laid them out.
    init?(adopting descriptor: Int32) {
        guard let file = try? MemoryFile(adopting: descriptor), file.bytes.count == Layout.size,
            file.bytes.load(as: UInt64.self) == Layout.magic
        else { return nil }
        self.file = file
        free = []
        free = (0..<Self.capacity).reversed().filter { cookie(of: $0) == 0 }
        for index in 0..<Self.sessionCapacity {
            guard let key = shownKey(index) else { break }
            sessions[key] = index
        }
    }

    /// Slots by the cookie of their connection.
    func slots() -> [UInt64: Int] {
        var slots: [UInt64: Int] = [:]
        for slot in 0..<Self.capacity where cookie(of: slot) != 0 { slots[cookie(of: slot)] = slot }
        return slots
    }

    subscript(slot: Int) -> Mark {
        Mark(
            kind: Kind(rawValue: load(slot, Layout.kind)) ?? .scene, cookie: cookie(of: slot),
            uid: load(slot, Layout.uid), app: text(slot, Layout.app, Layout.appRoom),
            scene: text(slot, Layout.scene, Layout.sceneRoom),
            title: text(slot, Layout.title, Layout.titleRoom).nilIfEmpty,
            activation: load(slot, Layout.activation) as UInt8 == 1 ? .foreground : .background,
            pid: load(slot, Layout.pid), startTime: load(slot, Layout.startTime),
            connected: Instant(nanoseconds: load(slot, Layout.connected)),
            epoch: text(slot, Layout.epoch, Layout.epochRoom), sequence: load(slot, Layout.sequence),
            isQuiet: load(slot, Layout.state) as UInt8 == 0)
    }

    /// A slot for a connection that is to be kept; nil where all are taken.
    func add(_ mark: Mark) -> Int? {
        guard let slot = free.popLast() else { return nil }
        store(mark.kind.rawValue, slot, Layout.kind)
        store(mark.uid, slot, Layout.uid)
        store(mark.pid, slot, Layout.pid)
        store(mark.startTime, slot, Layout.startTime)
        store(mark.connected.nanoseconds, slot, Layout.connected)
        store(mark.scene, slot, Layout.scene, Layout.sceneRoom)
        store(mark.app, slot, Layout.app, Layout.appRoom)
        describe(slot, title: mark.title, activation: mark.activation)
        began(slot, mark.epoch, mark.sequence, isQuiet: mark.isQuiet)
        // Last: from here on the slot counts.
        store(mark.cookie, slot, Layout.cookie)
        return slot
    }

    func epoch(of slot: Int) -> String { text(slot, Layout.epoch, Layout.epochRoom) }

    func remove(_ slot: Int) {
        store(UInt64(0), slot, Layout.cookie)
        free.append(slot)
    }

    func describe(_ slot: Int, title: String?, activation: Activation) {
        store(title ?? "", slot, Layout.title, Layout.titleRoom)
        store(UInt8(activation == .foreground ? 1 : 0), slot, Layout.activation)
    }

    /// The stream has a new epoch.
    func began(_ slot: Int, _ epoch: String, _ sequence: Int, isQuiet: Bool) {
        store(UInt8(1), slot, Layout.state)
        store(epoch, slot, Layout.epoch, Layout.epochRoom)
        store(sequence, slot, Layout.sequence)
        if isQuiet { settled(slot) }
    }

    /// This event is about to be sent.
    func sending(_ slot: Int, _ sequence: Int) {
        store(UInt8(1), slot, Layout.state)
        store(sequence, slot, Layout.sequence)
    }

    /// Something has come in that is not answered yet.
    func busy(_ slot: Int) {
        store(UInt8(2), slot, Layout.state)
    }

    /// All is written, and nothing has come in.
    func settled(_ slot: Int) {
        store(UInt8(0), slot, Layout.state)
    }
}

// MARK: Monitors

extension ConnectionMarks {
    /// Every monitor that is quiet has been shown the session's history up to here. False: there is no room.
    func show(_ key: SessionKey, _ epoch: String, _ sequence: Int) -> Bool {
        if let index = sessions[key] {
            storeShown(index, epoch, sequence)
            return true
        }
        let index = sessions.count
        guard index < Self.sessionCapacity else { return false }
        storeShown(index, epoch, sequence)
        store(key.uid, at: shown(index, Layout.shownUID))
        // Last: from here on the entry counts.
        store(key.app, at: shown(index, Layout.shownApp), Layout.appRoom)
        sessions[key] = index
        return true
    }

    /// How far each session's history was shown.
    var shown: [SessionKey: (epoch: String, sequence: Int)] {
        sessions.mapValues { index in
            (
                text(at: shown(index, Layout.shownEpoch), Layout.epochRoom),
                load(at: shown(index, Layout.shownSequence))
            )
        }
    }

    private func storeShown(_ index: Int, _ epoch: String, _ sequence: Int) {
        store(epoch, at: shown(index, Layout.shownEpoch), Layout.epochRoom)
        store(sequence, at: shown(index, Layout.shownSequence))
    }

    /// Nil where there is no entry. Entries are never removed.
    private func shownKey(_ index: Int) -> SessionKey? {
        text(at: shown(index, Layout.shownApp), Layout.appRoom).nilIfEmpty.map {
            SessionKey(uid: load(at: shown(index, Layout.shownUID)), app: $0)
        }
    }

    private func shown(_ index: Int, _ field: Int) -> Int { Layout.sessions + index * Layout.session + field }
}

// MARK: Bytes

extension ConnectionMarks {
    private func offset(_ slot: Int, _ field: Int) -> Int { Layout.header + slot * Layout.slot + field }

    private func cookie(of slot: Int) -> UInt64 { load(slot, Layout.cookie) }

    private func load<Value: BitwiseCopyable>(_ slot: Int, _ field: Int) -> Value { load(at: offset(slot, field)) }

    private func store<Value: BitwiseCopyable>(_ value: Value, _ slot: Int, _ field: Int) {
        store(value, at: offset(slot, field))
    }

    private func store(_ text: String, _ slot: Int, _ field: Int, _ room: Int) {
        store(text, at: offset(slot, field), room)
    }

    private func text(_ slot: Int, _ field: Int, _ room: Int) -> String { text(at: offset(slot, field), room) }

    private func load<Value: BitwiseCopyable>(at offset: Int) -> Value {
        bytes.loadUnaligned(fromByteOffset: offset, as: Value.self)
    }

    private func store<Value: BitwiseCopyable>(_ value: Value, at offset: Int) {
        bytes.storeBytes(of: value, toByteOffset: offset, as: Value.self)
    }

    /// Two bytes of length, then the text; callers have bounded it.
    private func store(_ text: String, at offset: Int, _ room: Int) {
        let utf8 = Array(text.utf8.prefix(room - 2))
        let start = offset + 2
        UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + utf8.count]).copyBytes(from: utf8)
        store(UInt16(utf8.count), at: offset)
    }

    private func text(at offset: Int, _ room: Int) -> String {
        let count = min(Int(load(at: offset) as UInt16), room - 2)
        let start = offset + 2
        return String(decoding: bytes[start..<start + count], as: UTF8.self)
    }
}

extension String {
    fileprivate var nilIfEmpty: String? { isEmpty ? nil : self }
}
