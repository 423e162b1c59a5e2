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
            PostLogoutRedirectURI=https://notes.example.com/signed-out?x=1
            AfterLogout=select
            Lock=session
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
        #expect(problems.map(\.line) == [27, 28, 29])
        #expect(notes.displayName == "Notes")
        #expect(notes.clientSecretFile == "credential:notes")
        #expect(notes.scopes == "openid files")
        #expect(notes.redirectURI == "http://localhost:8400/done")
        #expect(notes.postLogoutRedirectURI == "https://notes.example.com/signed-out?x=1")
        #expect(notes.policy.afterLogout == .select)
        #expect(notes.policy.lock == .session)
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
            Lock=always
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
        #expect(problems.filter { $0.severity == .error }.map(\.line) == [3, 4, 5, 7, 8, 11, nil])
        #expect(problems.filter { $0.severity == .warning }.map(\.line) == [12, 13])
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
        #expect(good.app?.loginHosts.map(\.host.url) == ["https://b.example", "https://login.example.com"])
        #expect(good.app?.loginHosts.map(\.host.origin) == [.managed, .app])
    }

    @Test func theAdministratorsLoginHostsComeFirst() {
        let (app, problems) = read(
            Self.good + "[LoginHost]\nURL=https://b.example\nLabel=App's",
            "[LoginHost]\nURL=B.example/\nLabel=Managed\nRevocationEndpoint=https://b.example/r",
            "[LoginHost]\nURL=https://c.example")
        #expect(problems.isEmpty)
        let hosts = ["https://b.example", "https://c.example", "https://login.example.com"]
        #expect(app?.policy.loginHosts.map(\.url) == hosts)
        #expect(app?.policy.loginHosts.map(\.origin) == [.managed, .managed, .app])
        #expect(app?.policy.loginHosts.first?.label == "Managed")
        #expect(app?.loginHosts.first?.revocationEndpoint == "https://b.example/r")
        #expect(app?.policy.onlyManagedLoginHosts == false)
    }

    @Test func onlyTheAdministratorsMayBeAllowed() {
        let only = "[App]\nOnlyAuthorizedLoginHosts=yes\n"
        let (app, problems) = read(Self.good, only + "[LoginHost]\nURL=https://b.example")
        #expect(problems.isEmpty)
        #expect(app?.policy.loginHosts.map(\.url) == ["https://b.example"])
        #expect(app?.policy.onlyManagedLoginHosts == true)
        // Accounts of the others still find the app's settings for them.
        #expect(app?.loginHosts.count == 2)
        let (none, faults) = read(Self.good, only)
        #expect(none == nil)
        #expect(faults.map(\.line) == [2] && faults.map(\.file) == ["f1"])
        #expect(read(Self.good + "[App]\nOnlyAuthorizedLoginHosts=perhaps").app == nil)
    }

    @Test func aHundredThousandLoginHostsAreOneFault() {
        let sections = (0..<100_000).map { "[LoginHost]\nURL=https://h\($0).example\n" }.joined()
        var outcome: (app: AppConfiguration?, problems: [Problem]) = (nil, [])
        let time = ContinuousClock().measure { outcome = read(Self.good + sections) }
        #expect(outcome.app == nil)
        #expect(outcome.problems.map(\.line) == [5 + 2 * 999])
        #expect(time < .seconds(60))
    }

    @Test func aLabelIsShort() {
        let (app, problems) = read(Self.good + "Label=" + String(repeating: "x", count: 257))
        #expect(app?.loginHosts.first?.host.label == "https://login.example.com")
        #expect(problems.map(\.severity) == [.warning])
    }

    @Test(arguments: [
        ("notes:/callback", Problem.Severity.warning), ("javascript:alert(1)", .error), ("data:text/html,x", .error),
        ("file:///etc/passwd", .error), ("com.example.notes:", .error), ("com.example.notes:/a#b", .error),
        ("com.example.notes:/a<b>", .error), ("com example:/a", .error), ("mailto:a@b", .error),
    ])
    func aRedirectURIsSchemeIsPrivate(uri: String, severity: Problem.Severity) {
        let (app, problems) = read(Self.good + "[App]\nRedirectURI=\(uri)")
        #expect(problems.map(\.severity) == [severity])
        #expect(problems.map(\.line) == [6])
        #expect((app == nil) == (severity == .error))
    }

    @Test(arguments: [
        "http://login.example.com/x", "javascript:alert(1)", "login.example.com/x", "https://u:p@login.example.com/x",
        "http://127.0.0.1/x", "https://login.example.com/a b", "/x",
    ])
    func anEndpointThatIsNotUsedIsTold(address: String) {
        let keys = ["Revocation", "DeviceAuthorization", "Userinfo", "EndSession"].map { $0 + "Endpoint" }
        let (app, problems) = read(Self.good + keys.map { "\($0)=\(address)\n" }.joined())
        #expect(app != nil)
        #expect(problems.map(\.severity) == keys.map { _ in .warning })
        #expect(problems.map(\.line) == [5, 6, 7, 8])
        #expect(zip(problems, keys).allSatisfy { $0.text.hasPrefix($1 + "=") })
        let loopback = "[App]\nClientID=x\n[LoginHost]\nUserinfoEndpoint=http://127.0.0.1/x\nURL=http://localhost:80"
        #expect(read(loopback).problems.isEmpty)
    }

    @Test(arguments: [
        "AllowedExecutables=/usr/bin/a b", "AllowedExecutables=a", "Scopes=\"openid profile\"", "Scopes=openid é",
    ])
    func whatNobodyWouldEverMatchIsAFault(assignment: String) {
        let (app, problems) = read(Self.good + "[App]\n" + assignment)
        #expect(app == nil)
        #expect(problems.map(\.line) == [6])
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

    @Test(arguments: [
        ("https://notes.example.com/", true), ("https://notes.example.com/signed-out?from=scened&x=%20", true),
        ("http://127.0.0.1:8400/bye", true), ("com.example.notes:/signed-out", true), ("com.example.notes:x", true),
        ("", true), ("http://notes.example.com/", false), ("https://", false), ("https:notes.example.com", false),
        ("https://notes.example.com/#fragment", false), ("javascript:alert(1)", false), ("file:///etc/passwd", false),
        ("data:text/html,x", false), ("notes:/x", false), ("com.example.notes:", false), (".example:/x", false),
        ("com..notes:/x", false), ("1.example:/x", false), ("/signed-out", false), ("signed out", false),
        ("com.example.notes:/a b", false), ("com.example.notes:/\u{e4}", false),
        ("https://user@notes.example.com/", false),
    ])
    func whereABrowserEndsAfterALogout(uri: String, isGood: Bool) {
        let (app, problems) = read(Self.good + "[App]\nPostLogoutRedirectURI=\(uri)")
        #expect((app != nil) == isGood)
        #expect(app?.postLogoutRedirectURI == (isGood && !uri.isEmpty ? uri : nil))
        #expect(problems.map(\.line) == (isGood ? [] : [6]))
    }
}
