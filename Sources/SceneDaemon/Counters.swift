import LinuxIO
import SceneModel

/// What is counted from the start on.
enum Counter: Int, CaseIterable {
    case connections, calls, refusals, logins, tokenRequests, refreshes, revocations, commits, failedCommits
    case quotaRefusals

    var metric: String {
        switch self {
        case .connections: "scened.connections"
        case .calls: "scened.calls"
        case .refusals: "scened.refusals"
        case .logins: "scened.logins"
        case .tokenRequests: "scened.token_requests"
        case .refreshes: "scened.refreshes"
        case .revocations: "scened.revocations"
        case .commits: "scened.commits"
        case .failedCommits: "scened.commits_failed"
        case .quotaRefusals: "scened.quota_refusals"
        }
    }
}

/// What has happened since the start, to one Unix user or to all.
final class Counters {
    private var values = [Int](repeating: 0, count: Counter.allCases.count)
    /// Scenes whose connections were taken up from the process before this one.
    var restoredScenes = 0
    /// The user has sessions, which stay when they are gone.
    fileprivate(set) var isLasting = false

    subscript(counter: Counter) -> Int {
        get { values[counter.rawValue] }
        set { values[counter.rawValue] = newValue }
    }

    fileprivate func add(_ other: Counters) {
        for counter in Counter.allCases { self[counter] += other[counter] }
        restoredScenes += other.restoredScenes
    }
}

/// Each user's counters. Nobody's but root's are shown to others.
struct Tally {
    private var users: [UInt32: Counters] = [:]
    /// Of users who are gone, and whom nothing here belongs to.
    private let former = Counters()

    mutating func counters(of uid: UInt32) -> Counters {
        if let counters = users[uid] { return counters }
        let counters = Counters()
        users[uid] = counters
        return counters
    }

    /// Of a session's user.
    mutating func lasting(_ uid: UInt32) -> Counters {
        let counters = counters(of: uid)
        counters.isLasting = true
        return counters
    }

    /// The user's last connection has ended.
    mutating func left(_ uid: UInt32) {
        guard let counters = users[uid], !counters.isLasting else { return }
        former.add(counters)
        users[uid] = nil
    }

    /// That user's, or of all together.
    func sum(of uid: UInt32?) -> Counters {
        let sum = Counters()
        if let uid {
            if let own = users[uid] { sum.add(own) }
        } else {
            sum.add(former)
            for counters in users.values { sum.add(counters) }
        }
        return sum
    }
}

extension Daemon {
    /// Counts what happens to a session.
    func count(_ counter: Counter, _ live: LiveSession) {
        quotas.tally.lasting(live.key.uid)[counter] += 1
    }

    /// As far as that user's, or all.
    func metrics(of uid: UInt32?, _ seen: [LiveSession]) -> [Metric] {
        func metric(_ name: String, _ kind: Metric.Kind, _ value: Int, unit: String? = nil) -> Metric {
            var metric = Metric()
            metric.name = name
            metric.kind = kind
            metric.unit = unit
            metric.value = Double(value)
            return metric
        }
        let counters = quotas.tally.sum(of: uid)
        return Counter.allCases.map { metric($0.metric, .counter, counters[$0]) } + [
            metric("scened.uptime", .gauge, EventLoop.now.boot.seconds(since: started.boot), unit: "s"),
            metric("scened.connections_open", .gauge, quotas.connections(of: uid)),
            metric("scened.scenes", .gauge, seen.reduce(0) { $0 + $1.session.scenes.count }),
            metric("scened.accounts", .gauge, seen.reduce(0) { $0 + $1.session.accounts.count }),
            metric("scened.logins_under_way", .gauge, seen.count { $0.login != nil }),
        ]
    }
}
