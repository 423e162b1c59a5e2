import Glibc
import LinuxIO
import SceneModel
import SessionCore
import Testing

@testable import SceneDaemon

@Suite struct ConnectionMarksTests {
    private func mark(_ cookie: UInt64, _ kind: ConnectionMarks.Kind = .scene) -> ConnectionMarks.Mark {
        ConnectionMarks.Mark(
            kind: kind, cookie: cookie, uid: 1000, app: "notes", scene: kind == .scene ? "w\(cookie)" : "",
            title: kind == .scene ? "Fenêtre" : nil, activation: .foreground, pid: 7, startTime: 8,
            connected: Instant(nanoseconds: 9), epoch: "epoch", sequence: 3, isQuiet: true)
    }

    /// As the next process sees it.
    private func adopted(_ marks: ConnectionMarks) -> ConnectionMarks? {
        ConnectionMarks(adopting: dup(marks.descriptor))
    }

    @Test func theNextProcessReadsWhatThisOneWrote() throws {
        let marks = try ConnectionMarks()
        let scene = try #require(marks.add(mark(1)))
        let monitor = try #require(marks.add(mark(2, .monitor)))
        let gone = try #require(marks.add(mark(3)))
        marks.sending(monitor, 0)
        marks.remove(gone)
        let next = try #require(adopted(marks))
        #expect(next.slots() == [1: scene, 2: monitor])
        #expect(next[scene] == mark(1))
        #expect(next[monitor].kind == .monitor)
        #expect(!next[monitor].isQuiet)
        next.settled(monitor)
        #expect(next[monitor].isQuiet)
        // The slot of the one that is gone is free again, and no other.
        let more = (4..<2000).compactMap { next.add(mark($0)) }
        #expect(more.count == ConnectionMarks.capacity - 2)
        #expect(!more.contains(scene) && !more.contains(monitor))
    }

    @Test func whatMonitorsWereShownIsReadAgain() throws {
        let marks = try ConnectionMarks()
        let longest = String(repeating: "a", count: 64)
        let keys = [
            SessionKey(uid: 0, app: longest), SessionKey(uid: .max, app: longest), SessionKey(uid: 7, app: "m"),
        ]
        for (number, key) in keys.enumerated() { #expect(marks.show(key, "e\(number)", number)) }
        #expect(marks.show(keys[1], "new", 1 << 40))
        let next = try #require(adopted(marks))
        #expect(next.shown.count == 3)
        #expect(next.shown[keys[0]].map { $0 == ("e0", 0) } == true)
        #expect(next.shown[keys[1]].map { $0 == ("new", 1 << 40) } == true)
        #expect(next.show(keys[2], "e2", 5))
        #expect(next.shown[keys[2]].map { $0 == ("e2", 5) } == true)
    }

    @Test func onlySoManySessionsHaveRoom() throws {
        let marks = try ConnectionMarks()
        let keys = (0..<ConnectionMarks.sessionCapacity).map { SessionKey(uid: UInt32($0), app: "notes") }
        for key in keys { #expect(marks.show(key, "epoch", 1)) }
        #expect(!marks.show(SessionKey(uid: 5000, app: "notes"), "epoch", 1))
        #expect(marks.show(keys[1], "epoch", 2))
        #expect(adopted(marks)?.shown.count == keys.count)
    }

    /// Of another version, cut short, or not ours at all.
    @Test func whatIsLaidOutOtherwiseIsNotRead() throws {
        let marks = try ConnectionMarks()
        let file = try MemoryFile(adopting: dup(marks.descriptor))
        file.bytes[0] ^= 1
        #expect(adopted(marks) == nil)
        file.bytes[0] ^= 1
        #expect(adopted(marks) != nil)
        let short = try MemoryFile(name: "short", size: 4096)
        #expect(ConnectionMarks(adopting: dup(short.descriptor)) == nil)
        #expect(ConnectionMarks(adopting: -1) == nil)
    }
}
