import Glibc
import SessionCore

/// The one thread that waits for the disk. Works off its queue in order; changes that wait together are committed
/// together.
final class DatabaseThread: @unchecked Sendable {
    typealias Committed = @Sendable ([(number: Int, result: Result<Void, StoreError>)]) -> Void

    private enum Work {
        case change(number: Int, Change)
        case call(@Sendable (Database, SealingKey) -> Void)
    }

    private struct Queue {
        var work: [Work] = []
        var isClosing = false
    }

    private let queue = Monitor(Queue())
    private let committed: Committed
    private let path: String
    /// The thread's own, given up when it ends.
    private var opened: OpenedDatabase?
    private var thread = pthread_t()

    /// `committed` is called on the thread, once for each transaction, with the changes' numbers.
    init(_ opened: OpenedDatabase, path: String, committed: @escaping Committed) throws(StoreError) {
        self.opened = opened
        self.path = path
        self.committed = committed
        try start()
    }

    func add(_ change: Change, number: Int) {
        queue.update { $0.work.append(.change(number: number, change)) }
    }

    /// Runs the body on the thread, after what was queued before, and waits for it.
    func call<Result: Sendable>(_ body: @escaping @Sendable (Database, SealingKey) -> Result) -> Result {
        let answer = Monitor<Result?>(nil)
        queue.update { queue in
            queue.work.append(
                .call { database, key in
                    let result = body(database, key)
                    answer.update { $0 = result }
                })
        }
        return answer.wait { $0 }
    }

    /// Waits until all that was queued is done and the database is closed. Nothing may be added after.
    func finish() {
        queue.update { $0.isClosing = true }
        pthread_join(thread, nil)
    }

    /// The thread takes no signals: they are the loop's (signalfd).
    private func start() throws(StoreError) {
        var all = sigset_t()
        var previous = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &previous)
        defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
        let context = Unmanaged.passRetained(self)
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<DatabaseThread>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            context.release()
            throw StoreError(cannot: "start the database's thread", code)
        }
    }

    private func run() {
        guard let opened else { return }
        self.opened = nil
        var writer = ChangeWriter(database: opened.database, sealing: opened.key, path: path)
        while let work = next() { perform(work, &writer, opened) }
    }

    /// All that waits; nothing once the end is reached.
    private func next() -> [Work]? {
        queue.wait { queue -> [Work]?? in
            guard queue.work.isEmpty else {
                defer { queue.work = [] }
                return queue.work
            }
            return queue.isClosing ? .some(nil) : .none
        }
    }

    private func perform(_ work: [Work], _ writer: inout ChangeWriter, _ opened: OpenedDatabase) {
        var group: [(number: Int, change: Change)] = []
        for item in work {
            switch item {
            case .change(let number, let change):
                group.append((number, change))
            case .call(let body):
                commit(&group, &writer)
                body(opened.database, opened.key)
            }
        }
        commit(&group, &writer)
    }

    private func commit(_ group: inout [(number: Int, change: Change)], _ writer: inout ChangeWriter) {
        guard !group.isEmpty else { return }
        let results = writer.commit(group.map(\.change))
        let numbers = group.map(\.number)
        group = []
        committed(zip(numbers, results).map { ($0, $1) })
    }
}
