import SceneModel
import Testing

@testable import SceneDaemon

@Suite struct AppReaderTests {
    private func read(_ texts: String...) -> (app: AppConfiguration?, problems: [Problem]) {
        let files = texts.enumerated().map { UnitFile($1, file: "f\($0)") }
        return AppReader.read(name: "notes", files: files, source: "f0")
    }

    private static let good = "[App]\nClientID=scene\n[LoginHost]\nURL=https://login.example.com\n"

    @Test func theLeastIsEnough() throws {
        let (app, problems) = read(Self.good)
        let notes = try #require(app)
        #expect(problems.isEmpty)
        #expect(notes.displayName == "notes")
        #expect(notes.scopes == "openid profile email offline_access")
        #expect(notes.redirectURI == "http://127.0.0.1/callback")
        #expect(notes.afterLogout == .follow)
        #expect(notes.canChangeLoginHost)
        #expect(notes.policy.loginHosts.map(\.label) == ["https://login.example.com"])
        #expect(notes.clientID == "scene")
    }

    @Test func everyKeyHasItsPlace() throws {
        let (app, problems) = read(
            """
            [App]
            Name=Notes
            ClientID=scene
            ClientSecretFile=credential:notes
            Scopes=openid files
            RedirectURI=http://localhost:8400/done
            AfterLogout=select
            AllowedUnits=a.service b.service
            AllowedExecutables=/usr/bin/a
            [LoginHost]
            URL=Login.Example.com/
            Label=Production
            RevocationEndpoint=https://login.example.com/revoke
            DeviceAuthorizationEndpoint=https://login.example.com/device
            UserinfoEndpoint=https://login.example.com/me
            EndSessionEndpoint=https://login.example.com/end
            [LoginScreen]
            Title=Hello
            ShowsNavigationBar=yes
            ShowsSettingsIcon=off
            ShowsBackButton=1
            NavigationBarColor=#0dc3bb
            NavigationBarTextColor=white
            NavigationBarFont=Helvetica 16
            Logo=/l.png
            StyleSheet=/s.css
            SettingsIcon=/i.png
            """)
        let notes = try #require(app)
        // The files are not there.
        #expect(problems.map(\.line) == [25, 26, 27])
        #expect(notes.displayName == "Notes")
        #expect(notes.clientSecretFile == "credential:notes")
        #expect(notes.scopes == "openid files")
        #expect(notes.redirectURI == "http://localhost:8400/done")
        #expect(notes.policy.afterLogout == .select)
        #expect(notes.allowedUnits == ["a.service", "b.service"])
        #expect(notes.allowedExecutables == ["/usr/bin/a"])
        let host = try #require(notes.loginHosts.first)
        #expect(host.host.url == "https://login.example.com")
        #expect(host.host.label == "Production")
        #expect(host.revocationEndpoint == "https://login.example.com/revoke")
        #expect(host.deviceAuthorizationEndpoint == "https://login.example.com/device")
        #expect(host.userinfoEndpoint == "https://login.example.com/me")
        #expect(host.endSessionEndpoint == "https://login.example.com/end")
        #expect(notes.screen.title == "Hello")
        #expect(notes.showsBackButton == true)
        #expect(!notes.canChangeLoginHost)
        #expect(notes.screen.navigationBarColor == "#0dc3bb")
        #expect(notes.screen.navigationBarFont == "Helvetica 16")
        #expect(notes.screen.styleSheet == "/s.css")
    }

    @Test func allFaultsAreToldAtOnce() {
        let (app, problems) = read(
            """
            [App]
            Name=Notes
            AfterLogout=later
            RedirectURI=nowhere
            [LoginHost]
            URL=http://login.example.com
            [LoginHost]
            Label=none
            [LoginScreen]
            ShowsBackButton=perhaps
            Colour=red
            [Other]
            """)
        #expect(app == nil)
        #expect(problems.filter { $0.severity == .error }.map(\.line) == [3, 4, 6, 7, 10, nil])
        #expect(problems.filter { $0.severity == .warning }.map(\.line) == [11, 12])
        #expect(problems.allSatisfy { $0.file == "f0" })
        #expect(problems.contains { $0.text.contains("ClientID=") })
    }

    @Test func aWarningLeavesTheAppInUse() {
        let (app, problems) = read(
            Self.good + "URL=https://login.example.com\nColour=red\n[LoginHost]\nURL=login.example.com")
        #expect(app != nil)
        #expect(problems.map(\.severity) == [.warning, .warning])
        #expect(app?.loginHosts.count == 1)
    }

    @Test func dropInsComeAfter() {
        let (app, problems) = read(
            Self.good + "[App]\nName=One\nAllowedUnits=a.service",
            "[App]\nName=Two\nAllowedUnits=\tb.service \tc.service\n[LoginHost]\nURL=https://b.example",
            "[App]\nnonsense")
        #expect(app == nil)
        #expect(problems.map(\.description) == ["f2:2: an assignment is written Key=value"])
        let good = read(
            Self.good + "[App]\nName=One\nAllowedUnits=a.service",
            "[App]\nName=Two\nAllowedUnits=\tb.service \tc.service\n[LoginHost]\nURL=https://b.example")
        #expect(good.app?.displayName == "Two")
        #expect(good.app?.allowedUnits == ["a.service", "b.service", "c.service"])
        #expect(good.app?.loginHosts.map(\.host.url) == ["https://login.example.com", "https://b.example"])
    }

    @Test func anEmptyAssignmentResets() {
        let (app, _) = read(
            Self.good + "[App]\nName=One\nClientSecretFile=/s\nAllowedUnits=a.service\nAllowedExecutables=/a",
            "[App]\nName=\nClientSecretFile=\nAllowedUnits=\nAllowedUnits=b.service\nAllowedExecutables=")
        #expect(app?.displayName == "notes")
        #expect(app?.clientSecretFile == nil)
        #expect(app?.allowedUnits == ["b.service"])
        #expect(app?.allowedExecutables == [])
    }

    @Test(arguments: [
        ("http://127.0.0.1/callback", true), ("http://127.0.0.1:8400/callback?x=1", true),
        ("http://[::1]/", true), ("http://localhost", true), ("com.example.notes:/callback", true),
        ("http://login.example.com/callback", false), ("https://127.0.0.1/callback", false), ("callback", false),
        ("", false), ("http://", false),
    ])
    func aRedirectURIIsOnThisMachine(uri: String, isGood: Bool) {
        #expect((read(Self.good + "[App]\nRedirectURI=\(uri)").app != nil) == isGood)
        let (app, _) = read(Self.good + "RedirectURI=\(uri)")
        // At a login host, an empty one takes back what was assigned before.
        #expect((app != nil) == (isGood || uri.isEmpty))
        let expected = isGood ? uri : "http://127.0.0.1/callback"
        #expect(app?.redirectURI(at: "https://login.example.com") ?? expected == expected)
    }
}
