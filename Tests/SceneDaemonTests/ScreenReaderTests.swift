import Glibc
import SceneModel
import SessionCore
import Testing

@testable import SceneDaemon

@Suite struct ScreenReaderTests {
    private func read(_ screen: String) -> (app: AppConfiguration?, problems: [Problem]) {
        let text = "[App]\nClientID=scene\n[LoginHost]\nURL=https://login.example.com\n[LoginScreen]\n\(screen)\n"
        return AppReader.read(name: "notes", files: [UnitFile(text, file: "f")], source: "f")
    }

    @Test(arguments: [
        "NavigationBarColor=#0dc3bg", "NavigationBarColor=red; } body { display: none",
        "NavigationBarColor=url(https://evil.example/)", "NavigationBarTextColor=var(--x)",
        "NavigationBarFont=Helvetica; } * { color: red 16", "NavigationBarFont=\"Helvetica\" 16",
        "NavigationBarFont=Helvetica 400", "Logo=logo.png", "StyleSheet=/nowhere/style.css", "SettingsIcon=/dev/zero",
        "Logo=/etc/passwd",
    ])
    func whatCannotBeUsedIsToldAndLeftOut(line: String) throws {
        let (app, problems) = read(line)
        #expect(problems.map(\.line) == [6])
        #expect(problems.map(\.severity) == [.warning])
        let appearance = try #require(app).appearance
        #expect(appearance == .init())
    }

    @Test func filesAreReadAndLimited() throws {
        let directory = try TemporaryDirectory()
        let logo = try directory.write("logo", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>")
        let style = try directory.write("style.css", "h1 { color: red }")
        let large = try directory.write("large.css", String(repeating: " ", count: 600 << 10))
        let escaping = try directory.write("escaping.css", "</Style><script>")
        let (app, problems) = read("Logo=\(logo)\nStyleSheet=\(style)")
        #expect(problems.isEmpty)
        #expect(app?.appearance.logo != nil)
        #expect(app?.appearance.styleSheet != nil)
        #expect(
            read("StyleSheet=\(large)").problems.map(\.text) == [
                "StyleSheet=\(large) is larger than 512 KiB; it is ignored"
            ])
        #expect(read("StyleSheet=\(escaping)").problems.count == 1)
        #expect(read("Logo=\(style)").problems.count == 1)
    }

    /// Neither waited for nor read without an end.
    @Test(.timeLimit(.minutes(1)), arguments: ["Logo", "SettingsIcon", "StyleSheet"])
    func onlyRegularFilesAreRead(key: String) throws {
        let directory = try TemporaryDirectory()
        let good = try directory.write("good", key == "StyleSheet" ? "h1 { color: red }" : "<svg/>")
        func path(_ name: String) -> String { "\(directory.path)/\(name)" }
        #expect(mkfifo(path("fifo"), 0o600) == 0)
        #expect(mkdir(path("directory"), 0o700) == 0)
        for (name, target) in [("link", good), ("zero", "/dev/zero"), ("tty", "/dev/tty"), ("loop", path("loop"))] {
            #expect(symlink(target, path(name)) == 0)
        }
        #expect(truncate(try directory.write("sparse", ""), 1 << 40) == 0)
        for name in ["fifo", "directory", "zero", "tty", "loop", "sparse", "nothing"] {
            let (app, problems) = read("\(key)=\(path(name))")
            #expect(problems.map(\.line) == [6], "\(name)")
            #expect(try #require(app).appearance == .init(), "\(name)")
        }
        let (app, problems) = read("\(key)=\(path("link"))")
        #expect(problems.isEmpty)
        #expect(try #require(app).appearance != .init())
    }

    @Test func theBackButtonFollowsTheUserUnlessItIsSet() throws {
        #expect(try #require(read("").app).showsBackButton == nil)
        #expect(try #require(read("ShowsBackButton=yes").app).showsBackButton == true)
        #expect(try #require(read("ShowsBackButton=no").app).showsBackButton == false)
        #expect(try #require(read("ShowsBackButton=no\nShowsBackButton=auto").app).showsBackButton == nil)
    }

    @Test(
        arguments: [
            ("", .auto), ("auto", .auto), ("cancel", .cancel), ("identityProvider", .identityProvider),
            ("https://app.example.com/home?a=1", .address("https://app.example.com/home?a=1")),
            ("com.example.notes:/home", .address("com.example.notes:/home")),
            ("http://127.0.0.1:8080/", .address("http://127.0.0.1:8080/")),
        ] as [(String, AppConfiguration.BackButtonAction)])
    func theBackButtonCanDoMore(value: String, action: AppConfiguration.BackButtonAction) throws {
        let (app, problems) = read("BackButtonAction=\(value)\n[App]\nIdentityProvider=mail")
        #expect(try #require(app).backButtonAction == action)
        #expect(problems.isEmpty)
    }

    @Test(arguments: [
        "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "http://app.example.com/", "home",
        "https://app.example.com/\" onclick=", "notes:/home", "Cancel", "https://", "identityProvider",
    ])
    func whatTheBackButtonCannotDoIsTold(value: String) throws {
        let (read, problems) = read("BackButtonAction=\(value)\nShowsBackButton=yes")
        #expect(problems.map(\.line) == [6])
        #expect(problems.map(\.severity) == [.warning])
        let app = try #require(read)
        let session = Session(key: SessionKey(uid: 1000, app: "notes"), policy: app.policy, epoch: "e")
        #expect(app.screen(of: session, canAskProvider: false).backButtonAction == "cancel")
    }

    @Test(.timeLimit(.minutes(1)))
    func aHundredThousandLoginHostsAreOneProblem() throws {
        let sections = (0..<100_000).map { "[LoginHost]\nURL=https://h\($0).example\n" }.joined()
        let (app, problems) = read("Title=Notes\n\(sections)")
        #expect(app == nil)
        #expect(problems.count == 1)
    }
}
