import Glibc
import SceneModel
import SessionCore
import Testing

@testable import SceneStore

@Suite(.timeLimit(.minutes(1))) struct KeyTests {
    let directory = TemporaryDirectory()

    private static let raw = [UInt8](0..<32)
    private static let hex = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
    private static let base64 = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

    /// The error's text; empty where the store opens.
    private func refusal(_ directory: TemporaryDirectory, _ credential: Secret? = nil) -> String {
        do {
            _ = try OpenStore(directory, credential: credential)
            return ""
        } catch {
            return error.reason
        }
    }

    private func fill(_ credential: Secret? = nil) throws {
        let open = try OpenStore(directory, credential: credential)
        #expect(open.commit(.sample(1, .putAccount(.sample()))).isSuccess)
        open.store.close()
    }

    @Test func aKeyIsMadeForAnEmptyDatabaseAndUsedAgain() throws {
        try fill()
        let key = directory.read("key")
        #expect(key.count == 32)
        #expect(Set(key).count > 8)
        let open = try OpenStore(directory)
        #expect(open.store.keySource == "file")
        #expect(try open.store.load().first?.accounts == [.sample()])
        #expect(directory.read("key") == key)
        #expect(!directory.files.contains("key.new"))
    }

    @Test(arguments: [
        raw, Array(hex.utf8), Array((hex + "\n").utf8), Array((hex.uppercased() + "\r\n").utf8), Array(base64.utf8),
        Array((base64 + "\n").utf8),
    ])
    func aCredentialIsReadAsItComes(credential: [UInt8]) throws {
        try fill(Secret(Self.raw))
        let open = try OpenStore(directory, credential: Secret(credential))
        #expect(open.store.keySource == "credential")
        #expect(try open.store.load().first?.accounts == [.sample()])
        #expect(!directory.files.contains("key"))
    }

    @Test(arguments: [
        [], Array(raw.dropLast()), raw + [10], raw + raw, Array(hex.utf8.dropLast()), Array((hex + " 00").utf8),
        Array(hex.replacing("1f", with: "1g").utf8), Array("AAECAwQ=\n".utf8), [10],
        [UInt8](repeating: 0x41, count: 100_000),
    ])
    func whatIsNoKeyIsRefused(credential: [UInt8]) {
        #expect(refusal(directory, Secret(credential)).contains("scened.key"))
        #expect(!directory.files.contains("sessions.sqlite"))
        directory.write("key", credential)
        #expect(refusal(directory).contains("key does not hold a sealing key"))
        #expect(directory.read("key") == credential)
    }

    @Test(arguments: [true, false])
    func withoutItsKeyADatabaseStaysShut(keyIsMissing: Bool) throws {
        try fill()
        let key = directory.read("key")
        let database = directory.read("sessions.sqlite")
        if keyIsMissing { unlink(directory.path + "/key") } else { directory.write("key", Self.raw) }
        #expect(refusal(directory).contains(keyIsMissing ? "missing" : "another key"))
        #expect(refusal(directory, Secret(Self.hex)).contains("another key"))
        #expect(directory.read("sessions.sqlite") == database)
        #expect(directory.read("key") == (keyIsMissing ? [] : Self.raw))
        directory.write("key", key)
        #expect(try OpenStore(directory).store.load().first?.accounts == [.sample()])
    }

    /// A refusal leaves the log, which may hold most of the database, as it is.
    @Test func withoutItsKeyALogStaysToo() throws {
        let open = try OpenStore(directory)
        open.commit(.sample(1, .putAccount(.sample())))
        let crashed = directory.copied()
        let files = ["sessions.sqlite", "sessions.sqlite-wal"]
        let before = files.map { crashed.read($0) }
        #expect(before.allSatisfy { !$0.isEmpty })
        #expect(refusal(crashed, Secret(Self.raw)).contains("another key"))
        #expect(files.map { crashed.read($0) } == before)
        #expect(try OpenStore(crashed).store.load().first?.accounts == [.sample()])
    }

    @Test func theErrorSaysWhenTheFilesKeyFits() throws {
        try fill()
        #expect(refusal(directory, Secret(Self.raw)).contains("make the key in"))
        #expect(refusal(directory, Secret(directory.read("key"))) == "")
        #expect(refusal(directory) == "")
    }

    @Test func aKeyThatOthersCanReadIsRefused() throws {
        try fill()
        chmod(directory.path + "/key", 0o640)
        #expect(refusal(directory).contains("chmod 600"))
        chmod(directory.path + "/key", 0o600)
        #expect(refusal(directory) == "")
    }

    @Test func aKeyIsNoLink() throws {
        try fill()
        rename(directory.path + "/key", directory.path + "/elsewhere")
        symlink(directory.path + "/elsewhere", directory.path + "/key")
        #expect(refusal(directory).contains("key"))
    }

    @Test func aRestOfAnUnfinishedKeyIsNoHindrance() throws {
        directory.write("key.new", [1, 2, 3])
        try fill()
        #expect(directory.read("key").count == 32)
    }
}
