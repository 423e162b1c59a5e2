import SceneModel
import Testing

@testable import SceneSession

struct LoginScreenConfigurationTests {
    /// As scened tells it where the app's configuration says nothing.
    private static var usual: LoginScreen {
        var screen = LoginScreen()
        screen.canAddLoginHost = true
        screen.showsBackButton = true
        screen.loginHosts = [LoginHost(url: "https://login.example.com", label: "Production", selected: true)]
        return screen
    }

    @Test func hasTheDefaultsOfTheMobileSDK() {
        let configuration = LoginScreenConfiguration()
        #expect(configuration.showsNavigationBar && configuration.showsSettingsIcon)
        #expect(configuration.navigationBarColor == nil && configuration.navigationBarTextColor == nil)
        #expect(configuration.navigationBarFont == nil)
        #expect(configuration.applied(to: Self.usual) == Self.usual)
    }

    @Test func theBarHidesTheGearAndTheButtonWithIt() {
        var configuration = LoginScreenConfiguration()
        configuration.showsNavigationBar = false
        configuration.showsBackButton = true
        let shown = configuration.applied(to: Self.usual)
        #expect(!shown.showsNavigationBar && !shown.showsSettingsIcon && !shown.showsBackButton)
        #expect(!shown.canAddLoginHost)
    }

    @Test func withoutTheGearNoLoginHostCanBeAdded() {
        var configuration = LoginScreenConfiguration()
        configuration.showsSettingsIcon = false
        let shown = configuration.applied(to: Self.usual)
        #expect(shown.showsNavigationBar && !shown.showsSettingsIcon && !shown.canAddLoginHost)
    }

    @Test func aProcessShowsNothingThatTheAppsConfigurationHides() {
        var screen = Self.usual
        screen.showsSettingsIcon = false
        screen.canAddLoginHost = false
        let withoutGear = LoginScreenConfiguration().applied(to: screen)
        #expect(withoutGear.showsNavigationBar && !withoutGear.showsSettingsIcon && !withoutGear.canAddLoginHost)
        screen.showsNavigationBar = false
        #expect(!LoginScreenConfiguration().applied(to: screen).showsNavigationBar)
    }

    @Test func goesBeforeTheAppsConfiguration() {
        var screen = Self.usual
        screen.title = "Log In"
        screen.navigationBarColor = "blue"
        screen.navigationBarTextColor = "white"
        screen.navigationBarFont = "Times 12"
        var configuration = LoginScreenConfiguration()
        configuration.title = "Notes"
        configuration.navigationBarColor = "#0dc3bb"
        configuration.navigationBarFont = .init(family: "Helvetica", size: 16)
        configuration.showsBackButton = false
        let shown = configuration.applied(to: screen)
        #expect(shown.title == "Notes" && shown.navigationBarColor == "#0dc3bb")
        #expect(shown.navigationBarTextColor == "white" && shown.navigationBarFont == "Helvetica 16")
        #expect(!shown.showsBackButton)
    }
}
