import SceneModel

@testable import SessionCore

// What changes accounts, login hosts and the lock.
extension RandomHistory {
    private var someAccount: String {
        if generator.once(in: 8) { return pick(witness.signedOut.sorted().suffix(8)) ?? "nobody" }
        return pick(stage.session.accounts.map(\.account.id)) ?? "nobody"
    }

    func switchAccount() {
        let id = someAccount
        detail(id)
        ask(.switchAccount(id), scene: someScene) { $0.switchRequested($1, account: id, world: $2) }
    }

    func logout() {
        let id = generator.once(in: 2) ? nil : someAccount
        let reason = generator.once(in: 20) ? "" : pick(["policy", nil] as [String?]) ?? nil
        detail(id ?? "the current one")
        ask(.logout(id), scene: someScene) { $0.logoutRequested($1, account: id, reason: reason, world: $2) }
    }

    func logoutAll() {
        guard generator.once(in: 4) else { return }
        if generator.once(in: 2) {
            ask(.logoutAll, scene: someScene) { $0.logoutAllRequested($1, reason: nil, world: $2) }
        } else {
            ask(.logoutUser) { $0.logoutAllRequested($1, reason: "administrator", byUser: true, world: $2) }
        }
    }

    func lock() {
        let locks = generator.once(in: 6)
        detail(locks ? "locked" : "unlocked")
        ask(.lock(locks)) { $0.lockRequested($1, locks, world: $2) }
    }

    func screen() {
        let screen = pick([Screen.locked, .unlocked, .unlocked, .absent]) ?? .absent
        detail("\(screen)")
        stage.happens { $0.screenChanged(screen, world: $1) }
    }

    func hosts() {
        let url = pick([AppPolicy.production, AppPolicy.sandbox, "own.example", "own2.example", "no host"]) ?? ""
        let login = generator.once(in: 3) ? stage.login?.login : nil
        if login != nil { detail("on the login screen") }
        func here(_ caller: Caller) -> Caller {
            var caller = caller
            caller.login = login
            return caller
        }
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: ask(.addLoginHost, scene: someScene) { $0.loginHostAdded(here($1), url: url, label: nil, world: $2) }
        case 1: ask(.removeLoginHost(url), scene: someScene) { $0.loginHostRemoved(here($1), url: url, world: $2) }
        default: ask(.selectLoginHost(url), scene: someScene) { $0.loginHostSelected(here($1), url: url, world: $2) }
        }
    }

    // MARK: Tokens

    func token() {
        let id = generator.once(in: 2) ? nil : someAccount
        let meant = id ?? stage.session.record.current
        let held = stage.session.accounts.first { $0.account.id == meant }?.grant.accessToken
        let validity = generator.once(in: 4) ? nil : generator.once(in: 50) ? -1 : pick([0, 20, 5000])
        let rejected = generator.once(in: 5) ? held : nil
        let scope = generator.once(in: 4) ? pick(["openid", "profile", "openid mail"]) : nil
        detail("\(id ?? "the current one"), \(validity ?? 60) s\(rejected == nil ? "" : ", the last was rejected")")
        ask(.token(account: meant, rejected: rejected, scope: scope)) {
            $0.tokenRequested(
                $1, account: id, minimumValidity: validity, rejected: rejected, scope: scope, world: $2)
        }
    }

    func finishRefresh() {
        guard let index = pick(stage.refreshes.indices) else { return }
        let order = stage.finishRefresh(index)
        let name = order.refreshToken.text
        let (id, generation) = (order.account.id, order.generation)
        // The login host may rotate, and its answer may yet be lost.
        if generator.once(in: 4) {
            detail("\(id) by nobody")
            if generator.once(in: 3) { host.kill(name) }
            let retryAfter = generator.once(in: 4) ? pick([1, 120, .max]) : nil
            witness.unavailable.insert(id)
            stage.happens {
                $0.refreshUnavailable(order.account, generation: generation, retryAfterSeconds: retryAfter, world: $1)
            }
        } else if host.isLive(name) {
            let rotated = generator.once(in: 4) ? nil : host.issue()
            if let rotated {
                host.kill(name)
                host.handOut(rotated)
                if generator.once(in: 6) {
                    detail("\(id) with \(rotated) and nothing else that is in order")
                    witness.unavailable.insert(id)
                    let faulty = Refreshed.faulty(refreshToken: rotated)
                    return stage.happens {
                        $0.tokensRefreshed(order.account, generation: generation, faulty, world: $1)
                    }
                }
            }
            detail("\(id) with \(rotated ?? "the same refresh token")")
            var refreshed = Refreshed.test("\(name)-\(stage.nextNumber())", refreshToken: rotated)
            refreshed.scope = generator.once(in: 4) ? "openid" : nil
            refreshed.lifetime = refreshed.accessToken.flatMap { give($0, scope: refreshed.scope) }
            stage.happens { $0.tokensRefreshed(order.account, generation: generation, refreshed, world: $1) }
        } else {
            detail("\(id) with a refusal")
            witness.refused[id] = generation
            stage.happens {
                $0.refreshRefused(order.account, generation: generation, code: "invalid_grant", world: $1)
            }
        }
    }

    func finishRevocation() {
        guard let index = pick(stage.revocations.indices) else { return }
        let record = stage.finishRevocation(index)
        let retryAfter = generator.once(in: 4) ? pick([1, 500, .max]) : nil
        let outcome = pick(
            [RevocationOutcome.revoked, .revoked, .unsupported, .unavailable(retryAfterSeconds: retryAfter)])
        let isStored = stage.session.revocations.contains { $0.id == record.id }
        detail("\(record.account.id), \(record.reason)")
        if let token = record.refreshToken?.text {
            // What is not stored is told once, and what is 30 days old no more.
            let isTheEnd =
                !isStored
                || (stage.now.wall - record.created >= Bounds.revocationLife
                    && record.attempts >= Bounds.leastRevocationAttempts)
            if case .unavailable = outcome { if isTheEnd { host.lose([token]) } } else { host.kill(token) }
        }
        if generator.once(in: 2) {
            stage.happens { session, _ in session.endSessionKnown(record.id, "https://login.example.com/end") }
        }
        if let outcome { stage.happens { $0.revocationEnded(record.id, outcome, world: $1) } }
    }
}
