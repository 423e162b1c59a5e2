import SceneModel

@testable import SessionCore

// The disk, the clocks, the configuration, and the end.
extension RandomHistory {
    func disk() {
        // Mostly held, so that things happen meanwhile; sometimes broken for a while.
        if generator.once(in: 20) {
            stage.disk = pick([.held, .works, .full]) ?? .held
            detail("from now on it \(stage.disk)")
            witness.diskHasFailed = stage.disk == .full
            while stage.disk != .held, stage.change != nil, !stage.isDead { stage.disk(works: stage.disk == .works) }
        } else if stage.change != nil {
            witness.diskHasFailed = generator.once(in: 12)
            detail(witness.diskHasFailed ? "no" : "stored")
            stage.disk(works: !witness.diskHasFailed)
        }
    }

    func wait() {
        // While the disk is full, much is tried again every two seconds.
        let choices: [Double] = stage.disk == .full ? [0.1, 1, 3, 10] : [0.1, 0.1, 1, 1, 3, 3, 10, 10, 60, 700, 4000]
        let seconds = pick(choices) ?? 1
        detail("\(seconds) s")
        stage.wait(seconds: seconds + Double(Int.random(in: 0..<1000, using: &generator)) / 1000)
        hasSlept = false
    }

    func stepClock() {
        if generator.once(in: 2) {
            stage.stepClock(bySeconds: pick([-100_000, -30, 30, 5000]) ?? 0)
        } else {
            stage.suspend(seconds: pick([5, 100, 4000]) ?? 5)
            hasSlept = true
        }
    }

    func policy() {
        var policy = stage.session.policy
        policy.afterLogout = pick(AppPolicy.AfterLogout.allCases) ?? .follow
        policy.canChangeLoginHost = !generator.once(in: 4)
        policy.onlyManagedLoginHosts = generator.once(in: 4)
        // The app's hosts change their order, and one may go.
        policy.loginHosts = AppPolicy.test().loginHosts.shuffled(using: &generator)
        if generator.once(in: 2) { policy.loginHosts.removeLast() }
        detail("AfterLogout=\(policy.afterLogout), first \(policy.loginHosts[0].url)")
        policy.lock = pick(AppPolicy.Lock.allCases) ?? .call
        stage.mayBecome(policy)
        let screen = stage.session.screen
        stage.happens { $0.screenChanged(screen, world: $1) }
        guard generator.once(in: 4) else { return }
        detail("the app vanishes")
        witness.appHasVanished = true
        stage.happens { $0.appVanished(world: $1) }
        witness.appHasVanished = false
    }

    /// As many events as the history keeps, or one more, and then somebody who has missed them.
    func storm() {
        guard generator.once(in: 40) else { return }
        let disk = stage.disk
        stage.disk = .works
        let scene = pick(Self.sceneNames) ?? ""
        let memory = generator.once(in: 2) ? nil : memories[scene]?.last
        let start = memory?.at.sequence ?? stage.session.record.sequence
        let end = start + historyLimit + Int.random(in: 0...1, using: &generator)
        // No call unlocks under a locked screen.
        stage.happens { $0.screenChanged(.absent, world: $1) }
        var locks = !stage.session.record.locked
        while stage.session.record.sequence < end, !stage.isDead {
            ask(.lock(locks)) { $0.lockRequested($1, locks, world: $2) }
            locks.toggle()
        }
        stage.disk = disk
        detail("up to \(end)")
        if let memory { connect(scene, after: memory.at, knowing: memory) }
        for call in stage.stalled.sorted(by: { $0.number < $1.number }) { readOn(call) }
    }

    /// The daemon dies now, or when it has done a few things more.
    func draw() {
        // Rather when there is something to keep.
        let isPresenting = if case .presenting = stage.session.login?.state { true } else { false }
        let isWorthIt = isPresenting || stage.session.record.selectionPending
        guard generator.once(in: isWorthIt ? 3 : 16) else { return }
        if isWorthIt || generator.once(in: 4) {
            someoneDied = true
        } else {
            stage.actionsLeft = Int.random(in: 0..<8, using: &generator)
        }
    }

    /// The daemon has died, or was asked to stop when it was not busy; a new one takes over.
    func recover(reboots: Bool, isStop: Bool) {
        note(reboots ? "the machine starts again" : isStop ? "the daemon is restarted" : "the daemon dies")
        someoneDied = false
        hasSlept = false
        returned = nil
        lateLogins = []
        let told = Set(
            stage.revocations.filter { told in !stage.session.revocations.contains { $0.id == told.record.id } }
                .compactMap(\.record.refreshToken?.text))
        let kept = reboots ? [] : stage.open.sorted { $0.number < $1.number }.filter { _ in !generator.once(in: 4) }
        stage.crash(
            changeIsStored: generator.once(in: 2), reboots: reboots, keeping: Set(kept),
            login: !reboots && !generator.once(in: 3))
        witness.died(ledger: stage.ledger)
        if generator.once(in: 2) { screen() }
        for call in stage.streams.keys where stage.open.contains(call) {
            witness.asked[call] = Asked(
                method: .connectScene(after: nil), scene: nil, streams: true, options: nil, at: stage.now.boot)
        }
        let ledger = stage.ledger
        if stage.login != nil { count("a login is kept over the daemon's end") }
        if ledger.record.selectionPending { count("a choice is kept over the daemon's end") }
        let lost = host.atStake.subtracting(
            (ledger.accounts.map(\.grant.refreshToken) + ledger.revocations.map(\.refreshToken)).compactMap { $0?.text }
        )
        if isStop, !lost.isSubset(of: told) { witness.faults.append("an orderly restart lost \(lost)") }
        host.lose(lost)
        for replay in stage.streams.values where replay.at.sequence > ledger.record.sequence {
            witness.faults.append("a scene was told what is not stored")
        }
        rememberClosedStreams()
    }
}
