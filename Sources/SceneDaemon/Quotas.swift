import Glibc
import LinuxIO
import SceneModel
import SceneSystem

/// What one Unix user holds of the daemon.
final class UserAccount {
    let uid: UInt32
    let bytes: ByteMeter
    let counters: Counters
    fileprivate(set) var connections = 0
    var scenes = 0
    // Private: accesses to what no other file can see need no check at run time.
    private var calls = 0
    private var callLimit = 0
    private var turnOfShare = -1
    private var share = 0

    fileprivate init(uid: UInt32, _ quotas: Quotas) {
        self.uid = uid
        bytes = ByteMeter(limit: quotas[.bytes])
        counters = quotas.tally.counters(of: uid)
        apply(quotas)
    }

    fileprivate func apply(_ quotas: Quotas) {
        bytes.limit = quotas[.bytes]
        callLimit = quotas[.calls]
    }

    /// False: it is one too many. It counts all the same, until `callEnded`.
    func callBegan() -> Bool {
        calls += 1
        share -= 1
        return calls <= callLimit
    }

    /// It is answered, or goes on as a scene.
    func callEnded(bytes: Int = 0) {
        calls -= 1
        share -= bytes >> 10
    }

    /// Connections with calls for which there was no time.
    var waiting = TurnQueue<ServedConnection>()

    /// Calls of one user that are answered before others have their turn; a long answer counts for several.
    private static let fullShare = 128

    /// Whether the user has time left. A share that is used up is renewed in a later turn of the loop than it began in.
    func hasTime(inTurn turn: @autoclosure () -> Int) -> Bool {
        if share > 0 { return true }
        let now = turn()
        if now != turnOfShare { renewShare(inTurn: now) }
        return share > 0
    }

    func renewShare(inTurn turn: Int) {
        turnOfShare = turn
        share = Self.fullShare
    }
}

/// Every user's account, and what it may come to.
final class Quotas {
    private struct Refusal: Hashable {
        let uid: UInt32
        let resource: String
    }

    private let isSystem: Bool
    private var settings: Quota.Settings
    private var accounts: [UInt32: UserAccount] = [:]
    private var connections = 0
    /// Connections that there can be, root's last ones not among them.
    private let capacity: Int
    private let rootCapacity: Int
    /// How often each has been refused, and at which limit, since the configuration was read.
    private var refusals: [Refusal: (count: Int, limit: Int)] = [:]
    var tally = Tally()

    /// `descriptors`: all that the process may have open.
    init(isSystem: Bool, settings: Quota.Settings, descriptors: Int) {
        self.isSystem = isSystem
        self.settings = settings
        // For the store, login screens, and requests to login hosts.
        rootCapacity = max(descriptors - min(descriptors / 8, 1024), 1)
        capacity = max(rootCapacity - min(descriptors / 32, 64), 1)
    }

    subscript(quota: Quota) -> Int {
        let limit = settings[quota] ?? quota.standard(isSystem: isSystem)
        // No one user of several gets more than half of what there is for all.
        return quota == .connections && isSystem ? min(limit, max(capacity / 2, 1)) : limit
    }

    /// The configuration was read again. What is held already stays.
    func apply(_ settings: Quota.Settings) {
        self.settings = settings
        for account in accounts.values { account.apply(self) }
        refusals = [:]
    }

    func account(of uid: UInt32) -> UserAccount {
        if let account = accounts[uid] { return account }
        let account = UserAccount(uid: uid, self)
        account.bytes.onExcess = { [unowned self] in _ = exceeded(.bytes, uid) }
        accounts[uid] = account
        return account
    }

    /// Why the user may not have one more connection; nil where they may.
    func refusal(of uid: UInt32) -> Failure? {
        if accounts[uid]?.connections ?? 0 >= self[.connections] { return exceeded(.connections, uid) }
        let capacity = uid == 0 ? rootCapacity : capacity
        guard connections >= capacity else { return nil }
        return exceeded("descriptors", capacity, uid, "all users together have", "raise LimitNOFILE= of the service")
    }

    func opened(_ account: UserAccount) {
        connections += 1
        account.connections += 1
    }

    func closed(_ account: UserAccount) {
        connections -= 1
        account.connections -= 1
        guard account.connections == 0 else { return }
        accounts[account.uid] = nil
        tally.left(account.uid)
    }

    /// Open ones: that user's, or all.
    func connections(of uid: UInt32?) -> Int {
        guard let uid else { return connections }
        return accounts[uid]?.connections ?? 0
    }

    /// The user wanted more than they may have. The journal hears of it the first time.
    func exceeded(_ quota: Quota, _ uid: UInt32) -> Failure {
        exceeded(quota.rawValue, self[quota], uid, "that user has", "raise \(quota.key)= in [Quota] of scened.conf")
    }

    private func exceeded(_ resource: String, _ limit: Int, _ uid: UInt32, _ who: String, _ remedy: String) -> Failure {
        tally.counters(of: uid)[.quotaRefusals] += 1
        let refusal = Refusal(uid: uid, resource: resource)
        if refusals[refusal] == nil {
            let held = "\(who) the most \(resource) that may be, \(limit)"
            Journal.write(
                JournalEntry(
                    priority: .warning,
                    message: "Refused uid \(uid): \(held). End what holds them, or \(remedy).",
                    messageID: MessageID.quotaExceeded,
                    fields: [("SCENED_UID", "\(uid)"), ("SCENED_RESOURCE", resource), ("SCENED_LIMIT", "\(limit)")]))
        }
        refusals[refusal, default: (0, limit)].count += 1
        refusals[refusal]?.limit = limit
        return .quotaExceeded(resource: resource, limit: limit)
    }

    /// Who was refused what, for those who may see it; the first twenty.
    func problems(of uid: UInt32?) -> [String] {
        refusals.filter { uid == nil || $0.key.uid == uid }
            .sorted { ($0.key.uid, $0.key.resource) < ($1.key.uid, $1.key.resource) }
            .prefix(20)
            .map { refusal, times in
                "uid \(refusal.uid) was refused \(times.count) times: at most \(times.limit) \(refusal.resource)"
            }
    }

    /// All descriptors that the process may have, as it wants: nothing here uses select(2).
    static func raiseDescriptorLimit() -> Int {
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(kind, &limit) == 0 else { return 1024 }
        var most = rlimit(rlim_cur: limit.rlim_max, rlim_max: limit.rlim_max)
        if setrlimit(kind, &most) == 0 { limit = most }
        return Int(clamping: limit.rlim_cur)
    }
}
