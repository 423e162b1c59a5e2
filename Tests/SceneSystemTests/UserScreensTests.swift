import SceneSystem
import Testing

@Suite struct UserScreensTests {
    private func screens(_ sessions: (path: String, isGraphical: Bool)...) -> UserScreens {
        var screens = UserScreens()
        for (path, isGraphical) in sessions { screens.found(path, isGraphical: isGraphical, lockedHint: false) }
        return screens
    }

    @Test func nobodyIsThereAtFirst() {
        #expect(UserScreens().isLocked == nil)
        #expect(screens(("tty", false)).isLocked == false)
    }

    @Test func oneSessionLocksAndUnlocksByEither() {
        var screens = screens(("desktop", true))
        screens.asked("desktop", locks: true)
        #expect(screens.isLocked == true && screens.unhinted == ["desktop"])
        screens.hinted("desktop", true)
        #expect(screens.isLocked == true && screens.unhinted == [])
        screens.hinted("desktop", false)
        #expect(screens.isLocked == false)
        screens.hinted("desktop", true)
        screens.asked("desktop", locks: false)
        #expect(screens.isLocked == false)
    }

    @Test func sessionsThatDoNotLockDoNotCount() {
        var screens = screens(("desktop", true), ("ssh", false))
        screens.hinted("desktop", true)
        #expect(screens.isLocked == true)
        // Nor does logging in there unlock the desktop.
        screens.found("ssh2", isGraphical: false, lockedHint: false)
        #expect(screens.isLocked == true)
        screens.ended("ssh")
        screens.ended("ssh2")
        #expect(screens.isLocked == true)
    }

    @Test func aDesktopInUseKeepsOthersFromLocking() {
        var screens = screens(("seat", true), ("remote", true), ("ssh", false))
        screens.hinted("remote", true)
        screens.asked("ssh", locks: true)
        #expect(screens.isLocked == false)
        screens.hinted("seat", true)
        #expect(screens.isLocked == true)
        screens.hinted("remote", false)
        #expect(screens.isLocked == false)
        screens.ended("remote")
        #expect(screens.isLocked == true)
    }

    @Test func theEndOfALockedSessionUnlocksNothing() {
        var screens = screens(("desktop", true), ("ssh", false))
        screens.hinted("desktop", true)
        screens.ended("desktop")
        #expect(screens.isLocked == true)
        // The next login does.
        screens.found("desktop2", isGraphical: true, lockedHint: false)
        #expect(screens.isLocked == false)
    }

    @Test func whatWasMissedIsFoundOut() {
        var screens = screens(("desktop", true))
        screens.found("desktop", isGraphical: true, lockedHint: true)
        #expect(screens.isLocked == true)
        screens.found("desktop", isGraphical: true, lockedHint: false)
        #expect(screens.isLocked == false)
    }

    @Test func aNewLogindHasForgottenTheHint() {
        var screens = screens(("desktop", true))
        screens.hinted("desktop", true)
        screens.found("desktop", isGraphical: true, lockedHint: false, isNewLogind: true)
        #expect(screens.isLocked == true)
    }

    @Test func whoWasAskedToLockBeforeIsLocked() {
        var screens = UserScreens()
        screens.found("desktop", isGraphical: true, lockedHint: false, wasAsked: true)
        #expect(screens.isLocked == true)
        screens.found("desktop", isGraphical: true, lockedHint: false)
        #expect(screens.isLocked == true)
        screens.asked("desktop", locks: false)
        #expect(screens.isLocked == false && screens.unhinted == [])
    }

    @Test func sessionsThatAreNotThereChangeNothing() {
        var screens = screens(("desktop", true))
        screens.asked("other", locks: true)
        screens.hinted("other", true)
        screens.ended("other")
        #expect(screens.isLocked == false)
    }
}
