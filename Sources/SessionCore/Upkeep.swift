import SceneModel

/// What is in mind about an account's grant, besides the refresh that may be under way; gone with the grant.
struct Upkeep: Sendable {
    var retry: Retry?
    /// The answer to a refresh never came: its refresh token may be spent.
    var wasInterrupted = false
    /// When a refresh is begun without anybody asking.
    var renewal: Instant?
}

/// When a login host that gave no tokens is asked again.
struct Retry: Sendable {
    var failures: Int
    var notBefore: Instant
    /// What the login host itself asked for (Retry-After): it can be reached, so another network changes nothing.
    var wanted: Instant
    /// What callers are told until then; nil where it could not be reached.
    var failure: Failure?

    func failure(seconds: Int) -> Failure { failure ?? .loginHostUnavailable(retryAfterSeconds: seconds) }
}

extension Session {
    /// A token was given out: its successor is there before it expires, so that nobody has to wait. Once for each token
    /// that somebody asked for: a grant that nobody uses is left alone.
    mutating func planRenewal(of holder: AccountRecord, _ world: World) {
        let id = holder.account.id
        guard upkeep[id]?.renewal == nil, holder.grant.refreshToken != nil, let lifetime = holder.grant.lifetime,
            lifetime.seconds > 0
        else { return }
        let early = Double(Bounds.renewal(of: lifetime.seconds)) * (1 + world.random() / 4)
        let seconds = max(1, lifetime.remaining(world).minus(Int(early)))
        upkeep[id, default: Upkeep()].renewal = world.now.boot.advanced(bySeconds: seconds)
    }

    mutating func renew(_ world: World) -> [Action] {
        var actions: [Action] = []
        for (id, kept) in upkeep.sorted(by: { $0.key < $1.key }) {
            guard let due = kept.renewal, due <= world.now.boot else { continue }
            upkeep[id]?.renewal = nil
            guard refreshes[id] == nil, let holder = account(id), holder.account.state != .loginRequired,
                holder.grant.refreshToken != nil
            else { continue }
            refreshes[id] = Refresh(generation: holder.grant.generation)
            actions += enqueue(.beginRefresh(account: id), world)
        }
        return actions
    }

    /// A login host that could not be reached may be reachable now: the machine has woken, or is on another network. One
    /// that asked to be left alone is. Spread over two seconds, as every grant and every machine of the network hears of it
    /// at once.
    package mutating func networkChanged(world: World) -> [Action] {
        func soon() -> Instant {
            world.now.boot.advanced(byNanoseconds: Int64(world.random() * 2e9))
        }
        for id in upkeep.keys.sorted() {
            guard let retry = upkeep[id]?.retry else { continue }
            let due = max(soon(), retry.wanted)
            upkeep[id]?.retry?.notBefore = due
            upkeep[id]?.renewal = due
        }
        for id in revocationDue.keys.sorted() {
            revocationDue[id] = max(soon(), revocationWanted[id] ?? world.now.boot)
        }
        return []
    }

    /// Where the login host could not be reached when the process before this one ended.
    mutating func planRetries(_ world: World) {
        for holder in accounts where holder.account.state == .degraded && holder.grant.refreshToken != nil {
            upkeep[holder.account.id, default: Upkeep()].renewal = world.now.boot.advanced(
                byNanoseconds: Int64(world.random() * 2e9))
        }
    }
}

extension Bounds {
    /// How long before a token's end its successor is fetched: earlier than `minimumValidity` asks for, where the token
    /// lives long enough.
    static func renewal(of lifetime: Int) -> Int {
        max(min(lifetime / 10, 300), min(minimumValidity + 30, lifetime / 2))
    }
}
