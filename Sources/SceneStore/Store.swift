import SceneModel
import SessionCore

/// The durable state of all sessions: an SQLite database whose secrets are sealed, in a directory of its own.
///
/// Belongs to the loop's thread. The disk is waited for on a thread of the store's own.
package final class Store {
    /// Where the sealing key comes from: "credential" or "file".
    package let keySource: String
    private var unread: [ReadingProblem]
    /// How many transactions have brought their results back.
    package var transactions: Int { waiting.transactions }

    private let path: String
    /// Locked for as long as the store is open.
    private var directory: StateDirectory?
    private let thread: DatabaseThread
    private let waiting = WaitingCompletions()
    private let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void
    private var isClosed = false

    /// Opens the directory's database, or makes both; waits for the disk. `credential` is the sealing key that the
    /// service manager handed over, if it did. `enqueue` runs work on the loop's thread, in order.
    package init(
        directory name: String, credential: Secret?,
        enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) throws(StoreError) {
        let directory = try StateDirectory(name)
        self.directory = directory
        path = directory.database
        let opened = try DatabaseOpening(directory: directory, credential: credential).run()
        keySource = opened.keySource.rawValue
        unread = opened.problems.map { ReadingProblem(text: $0) }
        self.enqueue = enqueue
        let waiting = waiting
        thread = try DatabaseThread(opened, path: path) { results in
            enqueue { waiting.deliver(results) }
        }
    }

    deinit { finish() }

    /// What could not be read, in words. Nothing of it was deleted.
    package var problems: [String] { unread.map(\.text) }

    /// The same without what is of other Unix users than that one, if one is named.
    package func problems(of uid: UInt32?) -> [String] {
        unread.filter { uid == nil || $0.uid == nil || $0.uid == uid }.map(\.text)
    }

    /// All sessions as they were last committed; waits for the disk.
    package func load() throws(StoreError) -> [StoredSession] {
        guard !isClosed else { throw Self.closed }
        let path = path
        let (result, found) = thread.call { database, key -> (Result<[StoredSession], StoreError>, [ReadingProblem]) in
            var reader = SessionReader(database: database, sealing: key)
            do throws(SQLiteError) {
                return (.success(try reader.sessions()), reader.problems)
            } catch {
                return (.failure(error.told(of: path)), reader.problems)
            }
        }
        for problem in found where !unread.contains(problem) { unread.append(problem) }
        return try result.get()
    }

    /// Makes the change durable, whole or not at all. The completion comes back through `enqueue`, in the order of
    /// the changes.
    package func commit(_ change: Change, completion: @escaping (Result<Void, StoreError>) -> Void) {
        let number = waiting.add(completion)
        guard !isClosed else {
            let waiting = waiting
            return enqueue { waiting.fail(number, Self.closed) }
        }
        thread.add(change, number: number)
    }

    /// Waits until all changes so far are committed, and gives the directory up. Their completions still come.
    package func close() { finish() }

    private func finish() {
        guard !isClosed else { return }
        isClosed = true
        thread.finish()
        directory = nil
    }

    /// Runs the body on the database's thread. For tests that make trouble there.
    func onDatabaseThread<Result: Sendable>(_ body: @escaping @Sendable (Database) -> Result) -> Result {
        thread.call { database, _ in body(database) }
    }

    private static let closed = StoreError(reason: "The store is closed.")
}

/// Completions by their change's number. They never leave the loop's thread; only the numbers do.
private final class WaitingCompletions: @unchecked Sendable {
    private var completions: [Int: (Result<Void, StoreError>) -> Void] = [:]
    private var next = 0
    private(set) var transactions = 0

    func add(_ completion: @escaping (Result<Void, StoreError>) -> Void) -> Int {
        next += 1
        completions[next] = completion
        return next
    }

    func deliver(_ results: [(number: Int, result: Result<Void, StoreError>)]) {
        transactions += 1
        for (number, result) in results { completions.removeValue(forKey: number)?(result) }
    }

    func fail(_ number: Int, _ error: StoreError) {
        completions.removeValue(forKey: number)?(.failure(error))
    }
}
