import LinuxIO
import SceneModel
import SceneStore
import SceneSystem
import SessionCore

extension Daemon {
    private static let retrySeconds = 5

    /// Opens the store and loads the sessions. Where that fails, it is tried again: what is wrong may be mended while
    /// the daemon runs. Waits for the disk, as there is nothing else to serve.
    @discardableResult
    func openStore() -> Bool {
        do throws(StoreError) {
            let loop = loop
            let store = try Store(directory: options.stateDirectory, credential: options.sealingKey) {
                loop.enqueue($0)
            }
            let stored = try store.load()
            for problem in store.problems {
                Journal.write(JournalEntry(priority: .error, message: problem, messageID: MessageID.storageProblem))
            }
            for session in stored {
                let policy = configuration.apps[session.key.app]?.policy ?? Self.vanished(session.key.app)
                sessions[session.key] = LiveSession(Session(session, policy: policy))
            }
            self.store = store
            storeFailure = nil
            statusChanged()
            return true
        } catch {
            if storeFailure != error.reason {
                Journal.write(
                    JournalEntry(
                        priority: .critical, message: "State cannot be used: \(error.reason)",
                        messageID: MessageID.storageUnavailable))
            }
            storeFailure = error.reason
            storeTimer?.cancel()
            storeTimer = loop.schedule(at: EventLoop.now.boot.advanced(bySeconds: Self.retrySeconds)) {
                if self.store == nil, self.openStore() { self.takeUpSessions() }
            }
            return false
        }
    }

    func commit(_ change: Change, _ live: LiveSession) {
        count(.commits, live)
        guard let store else { return commitFailed(storeFailure ?? "State is not open.", live) }
        store.commit(change) { result in
            switch result {
            case .success:
                self.commitTrouble = nil
                live.forgetReply()
                self.happened(live) { $0.changeCommitted(world: $1) }
            case .failure(let error): self.commitFailed(error.reason, live)
            }
        }
    }

    private func commitFailed(_ reason: String, _ live: LiveSession) {
        count(.failedCommits, live)
        commitTrouble = reason
        Journal.write(
            JournalEntry(
                priority: .error, message: "State cannot be written: \(reason)", messageID: MessageID.storageUnavailable
            ))
        happened(live) { $0.commitFailed(reason: reason, world: $1) }
    }
}
