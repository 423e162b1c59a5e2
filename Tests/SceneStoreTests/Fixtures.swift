import Glibc
import SceneModel
import SessionCore

@testable import SceneStore

/// A directory that goes with its last user.
final class TemporaryDirectory: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/scene-store-XXXXXX".utf8CString)
        path = mkdtemp(&template).map { String(cString: $0) } ?? "/nonexistent"
    }

    deinit {
        for name in files { unlink(path + "/" + name) }
        rmdir(path)
    }

    var files: [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    func read(_ name: String) -> [UInt8] { readFile(path + "/" + name) }
    func write(_ name: String, _ bytes: [UInt8]) { writeFile(path + "/" + name, bytes) }

    /// What a crash of the machine at this moment would leave: the files, without the memory that is shared.
    func copied() -> TemporaryDirectory {
        let copy = TemporaryDirectory()
        for name in ["key", "sessions.sqlite", "sessions.sqlite-wal"] where files.contains(name) {
            copy.write(name, read(name))
        }
        return copy
    }
}

func readFile(_ path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = Glibc.read(descriptor, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
    return bytes
}

func writeFile(_ path: String, _ bytes: [UInt8]) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(descriptor) }
    var written = 0
    while written < bytes.count {
        let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return }
        written += count
    }
}

func mode(_ path: String) -> mode_t { (status(of: path)?.st_mode ?? 0) & 0o777 }

/// Stands in for the event loop: work from any thread, run on the test's own when it asks.
final class TestLoop: Sendable {
    private let work = Monitor<[@Sendable () -> Void]>([])

    var enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void {
        { [work] item in work.update { $0.append(item) } }
    }

    func runOnce() {
        let items = work.wait { work -> [@Sendable () -> Void]? in
            defer { work = [] }
            return work.isEmpty ? nil : work
        }
        for item in items { item() }
    }
}

/// A store with its loop.
final class OpenStore {
    let store: Store
    let loop = TestLoop()

    init(_ directory: TemporaryDirectory, credential: Secret? = nil) throws(StoreError) {
        store = try Store(directory: directory.path, credential: credential, enqueue: loop.enqueue)
    }

    /// Commits all at once and waits for every completion.
    @discardableResult
    func commit(_ changes: [Change]) -> [Result<Void, StoreError>] {
        var results: [Result<Void, StoreError>] = []
        for change in changes { store.commit(change) { results.append($0) } }
        while results.count < changes.count { loop.runOnce() }
        return results
    }

    @discardableResult
    func commit(_ change: Change) -> Result<Void, StoreError> { commit([change])[0] }

    func execute(_ sql: String) throws {
        try store.onDatabaseThread { database in
            Result { () throws(SQLiteError) in _ = try database.run(sql) }
        }.get()
    }

    func blob(_ sql: String) -> [UInt8] {
        let value = store.onDatabaseThread { try? $0.value(sql) }
        guard case .blob(let bytes) = value else { return [] }
        return bytes
    }
}

extension Result where Success == Void, Failure == StoreError {
    var isSuccess: Bool { if case .success = self { true } else { false } }
    var reason: String { if case .failure(let error) = self { error.reason } else { "" } }
}

extension [Result<Void, StoreError>] {
    var areAllSuccesses: Bool { allSatisfy(\.isSuccess) }
}

extension Account {
    static func sample(_ id: String = "account-1") -> Account {
        Account(
            id: id, issuer: "https://login.example.com", subject: "sub-" + id, loginHost: "https://login.example.com",
            username: "ada", displayName: "Ada Lovelace", email: "ada@example.com",
            picture: "https://login.example.com/ada.png")
    }
}

extension AccountRecord {
    static func sample(_ id: String = "account-1", generation: Int = 1) -> AccountRecord {
        AccountRecord(
            account: .sample(id),
            grant: Grant(
                generation: generation, clientID: "notes-client", accessToken: Secret("access-token-of-\(id)"),
                tokenType: "Bearer", refreshToken: Secret("refresh-token-of-\(id)"),
                idToken: Secret("id-token-of-\(id)"), scope: "openid profile",
                lifetime: Lifetime(
                    obtained: Moment(boot: Instant(nanoseconds: 123_456_789), wall: 1_790_000_000), seconds: 3600,
                    bootID: "boot-1"),
                instanceUrl: "https://data.example.com", isRefreshing: true),
            claims: #"{"sub":"sub-\#(id)","nickname":"countess"}"#, reason: "invalid_grant")
    }
}

extension RevocationRecord {
    static func sample(_ id: String = "revocation-1") -> RevocationRecord {
        RevocationRecord(
            id: id, account: .sample(), clientID: "notes-client", refreshToken: Secret("dying-refresh-token-of-\(id)"),
            accessToken: Secret("dying-access-token-of-\(id)"), reason: "logout", attempts: 3, created: 1_790_000_000,
            nextAttempt: 1_790_000_600)
    }
}

extension SessionKey {
    static let notes = SessionKey(uid: 1000, app: "Notes")
}

extension Change {
    /// A change of Notes' session whose events are the sequences given; the last is the session's.
    static func sample(
        _ sequences: ClosedRange<Int>, key: SessionKey = .notes, epoch: String = "epoch-1",
        _ operations: [Operation] = []
    ) -> Change {
        let events = sequences.map { sequence in
            var event = Event(.accountChanged, at: Cursor(epoch: epoch, sequence: sequence))
            event.account = .sample()
            return event
        }
        let record = SessionRecord(epoch: epoch, sequence: sequences.upperBound)
        return Change(key: key, session: record, operations: operations, events: events)
    }

    static func sample(_ sequence: Int, _ operations: Operation...) -> Change {
        sample(sequence...sequence, operations)
    }
}
