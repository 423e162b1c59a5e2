import Glibc
import LinuxIO
import SceneSystem
import SessionCore

// Sessions of apps with `Lock=session` follow their user's screen.

extension Daemon {
    /// Asks logind as long as an app wants it. After each reading of the configuration.
    func followScreens() {
        if configuration.apps.values.contains(where: { $0.lock == .session }) {
            if screens == nil { openScreens() }
        } else if screens != nil {
            screens = nil
            keepAskedSessions([])
        }
        screensChanged(of: nil)
    }

    private func openScreens() {
        let screens = LoginSessions(loop: loop, of: options.isSystem ? nil : getuid(), askedBefore: keptLocks)
        screens.onChange = { self.screensChanged(of: $0) }
        screens.onProblem = { reason in
            Journal.write(
                JournalEntry(
                    priority: .warning,
                    message: "Whether screens are locked (Lock=session) is not known: \(reason).",
                    messageID: MessageID.screensUnknown))
        }
        self.screens = screens
        screens.open()
    }

    private func screensChanged(of uid: UInt32?) {
        guard let screens, screens.problem == nil else { return }
        keepAskedSessions(screens.unhinted)
        for live in Array(sessions.values) where uid == nil || live.key.uid == uid { tellScreen(live) }
    }

    /// A new session learns what the others know.
    func tellScreen(_ live: LiveSession) {
        guard let screens, screens.problem == nil, live.session.policy.lock == .session else { return }
        let screen: Screen =
            switch screens.isLocked(live.key.uid) {
            case nil: .absent
            case true?: .locked
            case false?: .unlocked
            }
        happened(live) { $0.screenChanged(screen, world: $1) }
    }

    /// What only a signal has told has to outlive this process, as nobody tells it again.
    private func keepAskedSessions(_ asked: Set<String>) {
        guard let descriptorStore else { return }
        for path in keptLocks.subtracting(asked) { descriptorStore.remove(name: Inheritance.Name.asked + path) }
        for path in asked.subtracting(keptLocks) {
            guard let file = try? MemoryFile(name: "scened-asked", size: 1) else { continue }
            descriptorStore.keep(file.descriptor, name: Inheritance.Name.asked + path)
        }
        keptLocks = asked
    }
}
