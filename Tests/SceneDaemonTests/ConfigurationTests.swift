import Glibc
import SceneModel
import Testing

@testable import SceneDaemon

@Suite struct ConfigurationTests {
    private let directory: TemporaryDirectory
    private var first: String { directory.path + "/first" }
    private var second: String { directory.path + "/second" }

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func app(_ client: String, host: String = "https://login.example.com") -> String {
        "[App]\nClientID=\(client)\n[LoginHost]\nURL=\(host)\n"
    }

    private func read(previous: Configuration? = nil) -> Configuration {
        Configuration.read(from: [first, second], previous: previous)
    }

    @Test func nothingIsNoFault() {
        let configuration = Configuration.read(from: [first, "/nonexistent"])
        #expect(configuration.apps.isEmpty)
        #expect(configuration.problems.isEmpty)
    }

    @Test func theFirstDirectoryCountsMost() throws {
        try directory.write("second/apps.d/notes.conf", app("second"))
        try directory.write("second/apps.d/mail.conf", app("mail"))
        try directory.write("first/apps.d/notes.conf", app("first"))
        try directory.write("second/apps.d/notes.conf.d/10.conf", "[App]\nName=ten below\nScopes=openid below")
        try directory.write("first/apps.d/notes.conf.d/10.conf", "[App]\nName=ten above")
        try directory.write("second/apps.d/notes.conf.d/20.conf", "[App]\nAfterLogout=none")
        let configuration = read()
        #expect(configuration.problems.isEmpty)
        #expect(configuration.apps.keys.sorted() == ["mail", "notes"])
        let notes = try #require(configuration.apps["notes"])
        #expect(notes.clientID == "first")
        #expect(notes.displayName == "ten above")
        #expect(notes.scopes == "openid profile email offline_access")
        #expect(notes.afterLogout == .none)
        #expect(configuration.listing.map(\.name) == ["mail", "notes"])
        #expect(configuration.listing.last?.source == first + "/apps.d/notes.conf")
    }

    @Test func onlyConfFilesAreRead() throws {
        for name in ["notes.conf~", "notes.conf.dpkg-old", "README", ".hidden.conf"] {
            try directory.write("first/apps.d/\(name)", "nonsense")
        }
        try directory.write("first/apps.d/dir.conf/x", "nonsense")
        #expect(read().listing.isEmpty)
        #expect(read().problems.isEmpty)
    }

    @Test func aBrokenAppTakesNobodyDown() throws {
        try directory.write("first/apps.d/good.conf", app("good"))
        let broken = try directory.write("first/apps.d/broken.conf", "[App]\nClientID\n")
        let configuration = read()
        #expect(configuration.apps.keys.sorted() == ["good"])
        #expect(configuration.isBroken)
        #expect(configuration.listing.map(\.name) == ["broken", "good"])
        #expect(configuration.listing.first?.problems.first == "\(broken):2: an assignment is written Key=value")
        #expect(configuration.listing.last?.problems == [])
    }

    @Test func aLongCircleIsToldInShort() throws {
        let count = 2000
        for number in 0..<count {
            let (next, before) = ((number + 1) % count, (number + count - 1) % count)
            let keys = "[App]\nIdentityProvider=a\(next)\nIdentityProviderFor=a\(before)\n"
            try directory.write("first/apps.d/a\(number).conf", app("scene") + keys)
        }
        // Asks them, and is not asked.
        try directory.write("first/apps.d/b.conf", app("scene") + "[App]\nIdentityProvider=a0\n")
        try directory.write("first/apps.d/a0.conf.d/b.conf", "[App]\nIdentityProviderFor=b\n")
        let time = ContinuousClock().measure {
            let problems = read().problems
            #expect(problems.count == count && problems.allSatisfy { $0.line == 6 && $0.text.utf8.count < 200 })
        }
        #expect(time < .seconds(60))
    }

    @Test func aBrokenAppKeepsWhatItHad() throws {
        try directory.write("first/apps.d/notes.conf", app("scene"))
        let before = read()
        try directory.write("first/apps.d/notes.conf.d/10.conf", "[App]\nAfterLogout=perhaps")
        let after = read(previous: before)
        #expect(after.apps["notes"] == before.apps["notes"])
        #expect(after.isBroken)
        #expect(after.listing.first?.problems.count == 1)
    }

    @Test func anAppThatIsGoneIsGone() throws {
        let path = try directory.write("first/apps.d/notes.conf", app("scene"))
        let before = read()
        unlink(path)
        #expect(read(previous: before).apps.isEmpty)
    }

    @Test func faultsOfAllFilesAreToldTogether() throws {
        try directory.write("first/scened.conf", "[Daemon]\nCertificateFile=/nonexistent\nPort=1\n[Other]\nX=1\n")
        try directory.write("first/apps.d/a.conf", "[App]\nnonsense\n")
        try directory.write("first/apps.d/b.conf", app("b", host: "http://b.example"))
        let problems = read().problems.map(\.description)
        #expect(problems.contains { $0.hasPrefix("\(first)/scened.conf:3: ") })
        #expect(problems.contains { $0.hasPrefix("\(first)/scened.conf:5: ") })
        #expect(problems.contains { $0.contains("CertificateFile=/nonexistent") })
        #expect(problems.contains { $0.hasPrefix("\(first)/apps.d/a.conf:2: ") })
        #expect(problems.contains { $0.hasPrefix("\(first)/apps.d/b.conf:4: ") })
    }

    @Test func theDaemonsFileIsTheFirstThereIs() throws {
        let authority = try directory.write("ca.pem", "x")
        try directory.write("second/scened.conf", "[Daemon]\nCertificateFile=/nonexistent\n")
        try directory.write("first/scened.conf", "[Daemon]\nCertificateFile=\(authority)\n")
        #expect(read().certificateFile == authority)
        #expect(read().problems.isEmpty)
    }

    @Test func limitsOfAUser() throws {
        let text = "[Quota]\nConnections=100\nBytes=8M\nCalls=7\nScenes=6\nLogins=5\nLogins=\n"
        try directory.write("first/scened.conf", text)
        #expect(read().quotas == [.connections: 100, .bytes: 8 << 20, .calls: 7, .scenes: 6])
        #expect(read().problems.isEmpty)
    }

    @Test(arguments: ["0", "-1", "many", "1.5", "1M", "", "99999999999999999999"]) func whatIsNoLimit(value: String) {
        #expect(Quota.scenes.limit(value) == nil)
        #expect(Quota.bytes.limit(value) == (value == "1M" ? 1 << 20 : nil))
    }

    @Test(arguments: ["9223372036854775807K", "9007199254740992K", "KK", "K", "1k", "1 K"]) func noBytes(value: String)
    {
        #expect(Quota.bytes.limit(value) == nil)
    }

    @Test func aLimitThatCannotBeReadStaysAsItWas() throws {
        try directory.write("first/scened.conf", "[Quota]\nScenes=6\nCalls=7\n")
        let before = read()
        let path = try directory.write("first/scened.conf", "[Quota]\nScenes=six\nBytes=1T\n")
        let after = read(previous: before)
        #expect(after.quotas == [.scenes: 6])
        #expect(
            after.problems.map(\.description) == [
                "\(path):2: Scenes= is a number from 1 up",
                "\(path):3: Bytes= is a number of bytes from 1 up, also with K, M or G",
            ])
    }

    @Test(arguments: ["a b", "ä", "a+b", String(repeating: "x", count: 65)])
    func anAppsNameIsPlain(name: String) throws {
        try directory.write("first/apps.d/\(name).conf", app("scene"))
        #expect(read().apps.isEmpty)
        #expect(read().isBroken)
    }

    @Test(arguments: ["a", "com.example.Notes-2_x", String(repeating: "x", count: 64)])
    func andMayBeThis(name: String) throws {
        try directory.write("first/apps.d/\(name).conf", app("scene"))
        #expect(read().apps[name] != nil)
    }

    @Test func whatIsNoTextIsNamed() throws {
        let path = try directory.write("first/apps.d/notes.conf", Array(app("scene").utf8) + [0xff, 0xfe])
        #expect(read().problems.map(\.description).contains("\(path):5: is not written in UTF-8"))
        #expect(read().apps.isEmpty)
    }

    @Test func sizesAreBounded() throws {
        let text = app("scene")
        let filler = String(repeating: "#", count: SmallFile.limit - text.utf8.count)
        try directory.write("first/apps.d/fits.conf", text + filler)
        let large = try directory.write("first/apps.d/large.conf", text + filler + "#")
        let configuration = read()
        #expect(configuration.apps.keys.sorted() == ["fits"])
        #expect(configuration.problems.map(\.description).contains("\(large): is larger than 1 MiB"))
    }

    @Test(.timeLimit(.minutes(1))) func whatIsNoFileDoesNotHang() throws {
        let path = try directory.write("first/apps.d/notes.conf", "")
        unlink(path)
        #expect(mkfifo(path, 0o600) == 0)
        #expect(read().problems.first?.description == "\(path): is no regular file")
    }

    @Test func windowsLineEndsAreFine() throws {
        try directory.write("first/apps.d/notes.conf", app("scene").split(separator: "\n").joined(separator: "\r\n"))
        #expect(read().problems.isEmpty)
        #expect(read().apps["notes"]?.clientID == "scene")
    }

    // MARK: Identity providers

    private func asking(_ provider: String, for others: String = "") -> String {
        "[App]\nClientID=scene\nIdentityProvider=\(provider)\nIdentityProviderFor=\(others)\n"
            + "[LoginHost]\nURL=https://login.example.com\n"
    }

    @Test func anAppMaySignInThroughAnother() throws {
        try directory.write("first/apps.d/mail.conf", asking("notes"))
        try directory.write("first/apps.d/notes.conf", asking("base", for: "maps mail"))
        try directory.write("first/apps.d/base.conf", asking("", for: "notes"))
        let configuration = read()
        #expect(configuration.problems.isEmpty)
        #expect(configuration.apps["mail"]?.policy.identityProvider == "notes")
        #expect(configuration.apps["notes"]?.policy.identityProviderFor == ["maps", "mail"])
        #expect(configuration.apps["base"]?.policy.identityProvider == nil)
    }

    @Test(arguments: [
        ("notes.service", true), ("app-com.example.Notes@1.service", true), ("notes", false), (".service", false),
        ("-x.service", false), ("a b.service", false), ("../notes.service", false), ("notes.target", false),
    ]) func whatIsStartedIsAService(unit: String, isSound: Bool) throws {
        try directory.write("first/apps.d/notes.conf", "\(app("scene"))[App]\nIdentityProviderUnit=\(unit)\n")
        #expect(read().problems.map(\.line) == (isSound ? [] : [6]))
        #expect(read().apps["notes"]?.policy.canBeStarted == (isSound ? true : nil))
    }

    /// Where the login host answers to a loopback address, a provider that talks through URLs cannot help.
    @Test(arguments: [
        ("", true), ("RedirectURI=com.example.mail:/other", true), ("RedirectURI=http://127.0.0.1/callback", false),
    ]) func aProviderIsAskedByURLsWhereTheAnswerIsOne(redirectURI: String, isAsked: Bool) throws {
        let file = asking("com.example.notes:") + "\(redirectURI)\n[App]\nRedirectURI=com.example.mail:/callback\n"
        try directory.write("first/apps.d/mail.conf", file)
        let configuration = read()
        #expect(configuration.apps["mail"]?.identityProvider == "com.example.notes:")
        #expect(configuration.problems.map(\.line) == (isAsked ? [] : [3]))
        #expect(configuration.problems.allSatisfy { $0.text.contains("not asked for logins at https://login.") })
    }

    /// Noted where it is written, and left out; the app goes on without.
    @Test(
        arguments: [
            (["a": ("b", "")], "there is no such app", ["a"]),
            (["a": ("a", "a")], "not its own", ["a"]),
            (["a": ("b", ""), "b": ("", "")], "add IdentityProviderFor=a to", ["a"]),
            (["a": ("b", "b"), "b": ("a", "a")], "circle (a asks b asks a)", ["a", "b"]),
            (["a": ("b", "c"), "b": ("c", "a"), "c": ("a", "b")], "circle (b asks c asks a asks b)", ["a", "b", "c"]),
            (["a": ("b", ""), "b": ("c", "a c"), "c": ("b", "b")], "circle (b asks c asks b)", ["b", "c"]),
        ] as [([String: (String, String)], String, [String])])
    func whatCannotBeAskedIsLeftOut(_ files: [String: (String, String)], _ fault: String, _ names: [String]) throws {
        for (name, (provider, others)) in files {
            try directory.write("first/apps.d/\(name).conf", asking(provider, for: others))
        }
        let configuration = read()
        #expect(configuration.problems.map(\.file) == names.map { "\(first)/apps.d/\($0).conf" })
        #expect(configuration.problems.allSatisfy { $0.line == 3 && $0.severity == .warning })
        #expect(configuration.problems.contains { $0.text.contains(fault) })
        #expect(configuration.apps.keys.sorted() == files.keys.sorted())
        for (name, app) in configuration.apps {
            #expect((app.identityProvider == nil) == (names.contains(name) || files[name]?.0 == ""))
            #expect(configuration.listing.first { $0.name == name }?.problems.isEmpty == !names.contains(name))
        }
    }
}
