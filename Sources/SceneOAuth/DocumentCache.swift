import LinuxIO
import SceneModel

/// A document and how long it may be kept, seconds.
struct Fetched<Document> {
    var document: Document
    var lifetimeSeconds: Int
}

/// Documents of login hosts, kept for a time; concurrent askers share one fetch. Confined to the loop's thread.
final class DocumentCache<Document: Sendable> {
    typealias Completion = (Result<Document, OAuthFailure>) -> Void
    /// Starts to fetch the document of a key; returns what cancels that.
    typealias Fetch =
        (_ key: String, _ completion: @escaping (Result<Fetched<Document>, OAuthFailure>) -> Void) -> () -> Void

    private struct Entry {
        var document: Document
        var fetched: Instant
        var expires: Instant
    }

    private final class Shared {
        var waiters: [Int: Completion] = [:]
        var cancel: () -> Void = {}
    }

    private let loop: EventLoop
    private let clock: () -> Moment
    private let fetch: Fetch
    private var entries: [String: Entry] = [:]
    private var fetches: [String: Shared] = [:]
    private var refetched: [String: Instant] = [:]
    private var lastWaiter = 0

    /// No more than these are kept; a user who adds login hosts without end costs no more memory.
    private static var capacity: Int { 256 }
    /// How long a document is good for at the most when no newer one can be had, seconds.
    private static var longestLife: Int { 86_400 }
    /// Between two fetches of a document that is still fresh, seconds.
    private static var refetchInterval: Int { 60 }

    init(loop: EventLoop, clock: @escaping () -> Moment, fetch: @escaping Fetch) {
        self.loop = loop
        self.clock = clock
        self.fetch = fetch
    }

    func document(_ key: String) async throws(OAuthFailure) -> Document {
        if let entry = entries[key], clock().boot < entry.expires { return entry.document }
        return try await join(key)
    }

    /// The document kept, fresh or not; asks nobody.
    func known(_ key: String) -> Document? {
        entries[key].flatMap { clock().boot.seconds(since: $0.fetched) < Self.longestLife ? $0.document : nil }
    }

    /// A newer document than the one kept, fetched at most once a minute; the one kept otherwise.
    func newerDocument(_ key: String) async throws(OAuthFailure) -> Document {
        let now = clock().boot
        if let last = refetched[key], now.seconds(since: last) < Self.refetchInterval {
            return try await document(key)
        }
        if refetched.count >= Self.capacity { refetched.removeAll() }
        refetched[key] = now
        return try await join(key)
    }

    private func join(_ key: String) async throws(OAuthFailure) -> Document {
        try await answer(on: loop, cancelled: .cancelled) { completion in wait(key, completion) }
    }

    private func wait(_ key: String, _ completion: @escaping Completion) -> () -> Void {
        lastWaiter += 1
        let waiter = lastWaiter
        let existing = fetches[key]
        let shared = existing ?? Shared()
        shared.waiters[waiter] = completion
        if existing == nil {
            fetches[key] = shared
            shared.cancel = fetch(key) { [weak self, weak shared] result in
                if let self, let shared { self.ended(key, shared, result) }
            }
        }
        return { [weak self, weak shared] in
            if let self, let shared { self.leave(key, shared, waiter) }
        }
    }

    /// The fetch goes on as long as anybody waits for it.
    private func leave(_ key: String, _ shared: Shared, _ waiter: Int) {
        guard let completion = shared.waiters.removeValue(forKey: waiter) else { return }
        if shared.waiters.isEmpty {
            if fetches[key] === shared { fetches[key] = nil }
            shared.cancel()
        }
        completion(.failure(.cancelled))
    }

    private func ended(_ key: String, _ shared: Shared, _ result: Result<Fetched<Document>, OAuthFailure>) {
        guard fetches[key] === shared else { return }
        fetches[key] = nil
        let outcome = keep(key, result)
        let waiters = shared.waiters.values
        shared.waiters = [:]
        for waiter in waiters { waiter(outcome) }
    }

    private func keep(_ key: String, _ result: Result<Fetched<Document>, OAuthFailure>) -> Result<
        Document, OAuthFailure
    > {
        let now = clock().boot
        switch result {
        case .success(let fetched):
            if entries.count >= Self.capacity, let oldest = entries.min(by: { $0.value.expires < $1.value.expires }) {
                entries[oldest.key] = nil
            }
            entries[key] = Entry(
                document: fetched.document, fetched: now, expires: now.advanced(bySeconds: fetched.lifetimeSeconds))
            return .success(fetched.document)
        case .failure(.unavailable(let seconds, let reason)), .failure(.lost(let seconds, let reason)):
            // What was good yesterday is better than nothing.
            guard let entry = entries[key], now.seconds(since: entry.fetched) < Self.longestLife else {
                return .failure(.unavailable(retryAfterSeconds: seconds, reason: reason))
            }
            entries[key]?.expires = now.advanced(bySeconds: Self.refetchInterval)
            return .success(entry.document)
        case .failure(let failure): return .failure(failure)
        }
    }
}
