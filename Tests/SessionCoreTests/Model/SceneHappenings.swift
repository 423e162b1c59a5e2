import SceneModel

@testable import SessionCore

// Scenes come, go, stop reading, and come back by their cursor.
extension RandomHistory {
    var someScene: String? {
        if generator.once(in: 3) { return nil }
        return generator.once(in: 20) ? "nobody's" : pick(stage.session.scenes.keys.sorted())
    }

    func connect() {
        let name = generator.once(in: 5) ? nil : generator.once(in: 40) ? "a\nb" : pick(Self.sceneNames)
        let memory = generator.once(in: 3) ? nil : name.flatMap { pick(memories[$0] ?? []) }
        var after = memory?.at
        if generator.once(in: 20) {
            after = pick([Cursor(epoch: "another", sequence: 1), Cursor(epoch: "epoch", sequence: .max), Cursor()])
        }
        connect(name, after: after, knowing: memory)
        if generator.once(in: 6) { stage.running.remove(ProcessIdentity(pid: 7, startTime: 1)) }
    }

    func connect(_ name: String?, after: Cursor?, knowing memory: Replay?) {
        stage.memory = memory
        let process = ProcessIdentity(pid: generator.once(in: 4) ? 8 : 7, startTime: 1)
        stage.running.insert(process)
        let title = generator.once(in: 30) ? String(repeating: "t", count: 300) : nil
        detail("\(name ?? "a new one") of \(process.pid) after \(after.map { "\($0.sequence)" } ?? "nothing")")
        ask(.connectScene(after: after), scene: name) {
            $0.sceneConnected(
                $1, title: title, after: after, process: process, isRunning: { stage.running.contains($0) }, world: $2)
        }
    }

    /// Several may do so in one turn of the daemon's loop, and others come meanwhile.
    func hangUp() {
        stage.inOneTurn {
            hangUpOne()
            while generator.once(in: 3) {
                if generator.once(in: 4) { connect() } else { hangUpOne() }
            }
        }
    }

    private func hangUpOne() {
        guard let call = pick(stage.open.sorted { $0.number < $1.number }) else { return }
        detail("\(call.number)")
        witness.asked[call] = nil
        stage.hangUp(call)
        rememberClosedStreams()
    }

    /// Who is gone may come back, soon or after a long time.
    func rememberClosedStreams() {
        for (_, replay) in stage.takeClosedStreams() {
            guard let scene = replay.scene, Self.sceneNames.contains(scene) else { continue }
            var kept = memories[scene] ?? []
            if kept.count >= 4 {
                kept.remove(at: generator.once(in: 2000) ? 0 : Int.random(in: 1..<4, using: &generator))
            }
            memories[scene] = kept + [replay]
        }
    }

    func updateScene() {
        let name = pick(Self.sceneNames) ?? ""
        let activation = pick(Activation.allCases)
        let title = generator.once(in: 10) ? String(repeating: "t", count: 300) : "title"
        ask(.updateScene) { session, caller, _ in
            session.sceneUpdated(caller, scene: name, activation: activation, title: title)
        }
    }

    func read() {
        let stalled = stage.stalled.sorted { $0.number < $1.number }
        // Seldom, so that some miss more than is kept.
        if let call = pick(stalled), generator.once(in: 20) {
            readOn(call)
        } else if stalled.count < 2, let call = pick(stage.streams.keys.sorted { $0.number < $1.number }) {
            stage.stall(call)
        }
    }

    func readOn(_ call: CallID) {
        let missed = stage.session.record.sequence - (stage.streams[call]?.at.sequence ?? 0)
        count(missed > historyLimit ? "a slow reader gets a snapshot" : "a slow reader catches up")
        stage.unstall(call)
    }
}
