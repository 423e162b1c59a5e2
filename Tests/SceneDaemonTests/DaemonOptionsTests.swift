import CommandLine
import SceneModel
import Testing

@testable import SceneDaemon

@Suite struct DaemonOptionsTests {
    private func options(_ words: String..., with environment: [String: String] = [:]) throws -> DaemonOptions {
        guard case .run(let arguments) = try DaemonOptions.command.parse(words) else {
            throw UsageError("not to run", suggestion: "")
        }
        return try DaemonOptions(arguments, environment: environment)
    }

    private static let user = ["HOME": "/home/ann", "XDG_RUNTIME_DIR": "/run/user/1000"]

    @Test func aUsersDefaults() throws {
        let options = try options(with: Self.user)
        #expect(!options.isSystem)
        #expect(options.socket == "/run/user/1000/scened/session")
        #expect(options.stateDirectory == "/home/ann/.local/state/scened")
        #expect(options.configurationDirectories == ["/home/ann/.config/scened", "/etc/scened", "/usr/lib/scened"])
    }

    @Test func theSystemsDefaults() throws {
        let options = try options("--system", with: Self.user)
        #expect(options.isSystem)
        #expect(options.socket == "/run/scened/session")
        #expect(options.stateDirectory == "/var/lib/scened")
        #expect(options.configurationDirectories == ["/etc/scened", "/usr/lib/scened"])
    }

    @Test func theUsersOwnDirectories() throws {
        let environment = Self.user.merging(["XDG_STATE_HOME": "/s", "XDG_CONFIG_HOME": "/c"]) { $1 }
        let options = try options(with: environment)
        #expect(options.stateDirectory == "/s/scened")
        #expect(options.configurationDirectories.first == "/c/scened")
    }

    @Test func relativeOnesAreIgnored() throws {
        let environment = Self.user.merging(["XDG_STATE_HOME": "s", "XDG_CONFIG_HOME": "", "STATE_DIRECTORY": "x"]) {
            $1
        }
        let options = try options(with: environment)
        #expect(options.stateDirectory == "/home/ann/.local/state/scened")
        #expect(options.configurationDirectories.first == "/home/ann/.config/scened")
    }

    @Test func desktopEntriesAreInTheUsersDirectoriesFirst() throws {
        let usual = ["/home/ann/.local/share", "/usr/local/share", "/usr/share"]
        #expect(try options(with: Self.user).dataDirectories == usual)
        // One that is taken for an option of what starts an entry is none.
        let environment = Self.user.merging(["XDG_DATA_HOME": "/d", "XDG_DATA_DIRS": "-x:share:/opt/share"]) { $1 }
        #expect(try options(with: environment).dataDirectories == ["/d", "/opt/share"])
        #expect(try options("--system", with: environment).dataDirectories == nil)
    }

    @Test func theServiceManagersStateDirectoryCounts() throws {
        let environment = Self.user.merging(["STATE_DIRECTORY": "/m/scened"]) { $1 }
        #expect(try options(with: environment).stateDirectory == "/m/scened")
        #expect(try options("--state", "/own", with: environment).stateDirectory == "/own")
        let two = Self.user.merging(["STATE_DIRECTORY": "/a:/b"]) { $1 }
        #expect(try options(with: two).stateDirectory == "/home/ann/.local/state/scened")
    }

    @Test func whatIsGivenCountsMost() throws {
        let options = try options("--socket=/tmp/s", "--state", "/tmp/d", "--config", "a", "--config=b")
        #expect(options.socket == "/tmp/s")
        #expect(options.stateDirectory == "/tmp/d")
        #expect(options.configurationDirectories == ["a", "b"])
    }

    @Test func withoutAPlaceItSaysWhatToDo() {
        #expect(throws: UsageError.self) { try options(with: ["HOME": "/home/ann"]) }
        #expect(throws: UsageError.self) { try options(with: ["XDG_RUNTIME_DIR": "/run/user/1"]) }
        #expect(throws: UsageError.self) { try options("--user", "--system", with: Self.user) }
        #expect(throws: UsageError.self) { try options("--nonsense", with: Self.user) }
        #expect(throws: UsageError.self) { try options("stray", with: Self.user) }
    }

    @Test func theConfigurationCanBeCheckedWithoutAnyPlace() throws {
        let options = try options("--check-config")
        #expect(options.checksConfiguration)
        #expect(options.configurationDirectories == ["/etc/scened", "/usr/lib/scened"])
    }

    // MARK: Secrets from files

    @Test func theSealingKeyIsACredential() throws {
        let directory = try TemporaryDirectory()
        var options = try options(with: Self.user)
        #expect(options.sealingKey == nil)
        options.credentials = directory.path
        #expect(options.sealingKey == nil)
        try directory.write("scened.key", [0, 1, 0xff, 10])
        #expect(options.sealingKey == Secret([0, 1, 0xff, 10]))
    }

    @Test func credentialsAreNamedByTheServiceManager() throws {
        let environment = Self.user.merging(["CREDENTIALS_DIRECTORY": "/run/credentials/x"]) { $1 }
        #expect(try options(with: environment).credentials == "/run/credentials/x")
    }
}
