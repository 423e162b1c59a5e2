import Glibc
import SceneModel
import SessionCore
import Testing

@testable import SceneStore

@Suite(.timeLimit(.minutes(1))) struct StateDirectoryTests {
    let directory = TemporaryDirectory()

    private func refusal(_ path: String) -> String {
        do {
            _ = try StateDirectory(path)
            return ""
        } catch {
            return error.reason
        }
    }

    @Test func isMadeWithWhatIsAboveItForItsOwnerAlone() throws {
        let path = directory.path + "/a/b"
        defer {
            unlink(path + "/lock")
            rmdir(path)
            rmdir(directory.path + "/a")
        }
        #expect(try StateDirectory(path).path == path)
        #expect(mode(path) == 0o700)
        #expect(mode(directory.path + "/a") == 0o700)
        #expect(mode(path + "/lock") == 0o600)
    }

    @Test func isNeverShared() throws {
        let first = try OpenStore(directory)
        let error = #expect(throws: StoreError.self) { _ = try OpenStore(directory) }
        #expect(error?.reason.contains("Another scened") == true)
        #expect(first.commit(.sample(1)).isSuccess)
        first.store.close()
        #expect(try OpenStore(directory).store.load().count == 1)
    }

    @Test(arguments: [0o720, 0o702, 0o777] as [mode_t])
    func mustNotBeWritableByOthers(mode: mode_t) {
        chmod(directory.path, mode)
        #expect(refusal(directory.path).contains("chmod 700"))
        chmod(directory.path, 0o755)
        #expect(refusal(directory.path) == "")
    }

    @Test(.enabled(if: geteuid() == 0)) func mustBeOurs() {
        chown(directory.path, 12345, 12345)
        #expect(refusal(directory.path).contains("belongs to uid 12345"))
        chown(directory.path, 0, 0)
    }

    @Test func isADirectory() {
        directory.write("file", [])
        #expect(!refusal(directory.path + "/file").isEmpty)
        #expect(!refusal(directory.path + "/file/below").isEmpty)
        #expect(!refusal("").isEmpty)
    }

    @Test func aLinkToItWillDo() throws {
        let link = directory.path + ".link"
        symlink(directory.path, link)
        defer { unlink(link) }
        #expect(try StateDirectory(link).path == directory.path)
    }

    @Test func modesOfAnOlderDatabaseAreTightened() throws {
        try OpenStore(directory).commit(.sample(1))
        chmod(directory.path + "/sessions.sqlite", 0o644)
        _ = try OpenStore(directory)
        #expect(mode(directory.path + "/sessions.sqlite") == 0o600)
    }
}
