import SceneModel
import Testing

@testable import TerminalScreen

struct LoginScreenStateTests {
    private func pressed(_ state: inout LoginScreenState, _ keys: Key...) -> [LoginScreenWish] {
        keys.compactMap { state.pressed($0) }
    }

    private func typed(_ text: String) -> [Key] { text.map { .character($0) } }

    @Test func selectsAHost() {
        var state = LoginScenery.device.state
        #expect(pressed(&state, .character("h")) == [] && state.view == .hosts)
        #expect(state.chosenHost == LoginScenery.production.url)
        #expect(pressed(&state, .down, .enter) == [.selectHost(LoginScenery.sandbox.url)])
        #expect(state.view == .main)
    }

    @Test func anothersLoginStaysAtItsHost() {
        var state = LoginScenery.waiting.state
        #expect(pressed(&state, .character("h"), .down, .enter) == [.selectHost(LoginScenery.sandbox.url)])
        #expect(LoginScenery.text(state, 80, 24).contains("stays where it is."))
    }

    @Test func theSelectedHostIsNotSelectedAgain() {
        var state = LoginScenery.hosts.state
        #expect(pressed(&state, .enter) == [] && state.view == .main)
    }

    /// A code is of no use at another host, and is shown again where the user stays.
    @Test func theCodeGoesWithItsHost() {
        var state = LoginScenery.device.state
        func shown() -> String { LoginScenery.text(state, 80, 24) }
        #expect(pressed(&state, .character("h"), .down, .enter) == [.selectHost(LoginScenery.sandbox.url)])
        #expect(!shown().contains("WDJB-MJHT") && !shown().contains("code") && shown().contains("Asking for a login…"))
        // The end of the former one's login is told no sooner.
        state.progressed(LoginScenery.deviceProgress)
        #expect(!shown().contains("WDJB-MJHT"))
        state.progressed(
            LoginScenery.progress(.presenting) { ($0.userCode, $0.verificationUri) = ("NEW", "https://test.example") })
        #expect(shown().contains("NEW"))
        #expect(pressed(&state, .character("h"), .down, .enter).count == 1 && !shown().contains("NEW"))
        state.failed("No.")
        #expect(shown().contains("NEW"))
    }

    @Test func aHostThatWasAskedForIsShownUntilAnotherIsSelected() {
        var state = LoginScreenState(loginHost: LoginScenery.sandbox.url)
        state.screenReceived(LoginScenery.screen)
        #expect(state.host == LoginScenery.sandbox)
        #expect(pressed(&state, .character("h"), .up, .enter) == [.selectHost(LoginScenery.production.url)])
        #expect(state.host == LoginScenery.production)
    }

    @Test func addsAHostThatIsTypedOrPasted() {
        var state = LoginScenery.hosts.state
        var keys: [Key] = [.character("a")] + typed("qh b") + [.eraseLine, .pasted("me.example.com"), .enter]
        keys += typed("Mína") + [.backspace, .character("e"), .enter]
        let wishes = keys.compactMap { state.pressed($0) }
        #expect(wishes == [.addHost(url: "me.example.com", label: "Míne")])
        state.failed("no")
        // What was typed is there still.
        #expect(pressed(&state, .enter) == wishes)
        var screen = LoginScenery.screen
        let added = LoginHost(url: "https://me.example.com", label: "Míne", origin: .user, removable: true)
        screen.loginHosts.append(added)
        state.screenReceived(screen)
        state.hostAdded(added)
        #expect(state.view == .hosts && state.chosenHost == added.url && state.notice?.isFailure == false)
        #expect(pressed(&state, .enter) == [.selectHost(added.url)])
    }

    @Test func aHostNeedsAnAddressAndNoName() {
        var state = LoginScenery.hosts.state
        #expect(pressed(&state, .character("a"), .enter) == [] && state.notice != nil)
        #expect(
            pressed(&state, .character("x"), .enter, .character(" "), .enter) == [.addHost(url: "x", label: nil)])
    }

    @Test func removesOnlyWhatMayBeRemovedAndAsksBefore() {
        var state = LoginScenery.hosts.state
        #expect(pressed(&state, .delete) == [] && state.view == .hosts && state.notice != nil)
        #expect(pressed(&state, .end, .character("d"), .enter) == [])
        #expect(state.view == .removing(LoginScenery.own))
        #expect(pressed(&state, .character("n")) == [] && state.view == .hosts)
        #expect(pressed(&state, .character("d"), .character("y")) == [.removeHost(LoginScenery.own.url)])
        var screen = LoginScenery.screen
        screen.loginHosts.removeLast()
        state.screenReceived(screen)
        #expect(state.view == .hosts && state.chosenHost == LoginScenery.sandbox.url)
    }

    @Test(arguments: [true, false])
    func withoutTheGearThereAreNoHosts(_ hidesBar: Bool) {
        var state = LoginScenery.hosts.state
        var screen = LoginScenery.screen
        screen.showsNavigationBar = !hidesBar
        screen.showsSettingsIcon = hidesBar
        state.screenReceived(screen)
        #expect(state.view == .main)
        #expect(pressed(&state, .character("h"), .character("a")) == [] && state.view == .main)
    }

    @Test func whereHostsAreFixedNoneIsAdded() {
        var state = LoginScenery.device.state
        var screen = LoginScenery.screen
        screen.canAddLoginHost = false
        state.screenReceived(screen)
        #expect(pressed(&state, .character("h"), .character("a")) == [] && state.view == .hosts)
        screen.loginHosts = [LoginScenery.sandbox]
        state.screenReceived(screen)
        #expect(state.view == .main)
        #expect(pressed(&state, .character("h")) == [] && state.view == .main)
    }

    @Test func goesBackWhereThereIsSomethingToGoBackTo() {
        var state = LoginScenery.device.state
        #expect(pressed(&state, .escape, .character("b")) == [.goBack, .goBack])
        var screen = LoginScenery.screen
        screen.showsBackButton = false
        state.screenReceived(screen)
        #expect(pressed(&state, .character("b"), .escape) == [] && state.notice != nil)
        // A program's own button counts in its place.
        state.screenReceived(screen, bar: NavigationBar(back: .init("Quit"), title: "Mine"))
        #expect(pressed(&state, .escape) == [.goBack])
        #expect(LoginScenery.text(state, 80, 24).hasPrefix(" ‹ Quit"))
        #expect(pressed(&state, .character("h")) == [] && state.view == .main)
    }

    @Test func escapeLeavesEachPage() {
        for scenery in [LoginScenery.hosts, .removing, .adding, .pasting] {
            var state = scenery.state
            while state.view != .main { #expect(pressed(&state, .escape) == []) }
        }
    }

    @Test func anAddressIsHandedOverFromAnywhereItCanBeMeant() {
        var state = LoginScenery.remote.state
        let address = "http://127.0.0.1:1/callback?code=c"
        #expect(pressed(&state, .pasted(address)) == [.handOver(address)])
        #expect(pressed(&state, .pasted("quit")) == [])
        #expect(pressed(&state, .character("v"), .pasted(address)) == [.handOver(address)])
        #expect(
            ([.character("p")] + typed(" " + address) + [.enter]).compactMap { state.pressed($0) } == [
                .handOver(address)
            ])
        state.progressed(LoginProgress(.authorizing))
        #expect(pressed(&state, .pasted(address)) == [])
    }

    @Test func choosesAnAccount() {
        var state = LoginScenery.selecting.state
        let accounts = state.accounts
        #expect(
            pressed(&state, .down, .enter, .character("1"), .character("3"))
                == accounts.reversed().map { .switchTo($0) })
    }

    @Test func aLoginThatCameToNothingCanBeTriedAgain() {
        var state = LoginScenery.device.state
        #expect(pressed(&state, .character("r")) == [])
        state.loginEnded("The login host cannot be reached.")
        let text = LoginScenery.text(state, 80, 24)
        #expect(text.contains("cannot be reached") && text.contains("r try again") && !text.contains("WDJB-MJHT"))
        #expect(pressed(&state, .character("r"), .character("h"), .enter) == [.tryAgain, .tryAgain])
        state.loginAsked()
        state.progressed(LoginScenery.deviceProgress)
        #expect(LoginScenery.text(state, 80, 24).contains("WDJB-MJHT"))
    }

    @Test func whatHasToBeDoneIsNotUnderAList() {
        var state = LoginScenery.hosts.state
        state.progressed(LoginProgress(.authorizing))
        #expect(state.view == .hosts)
        state.progressed(LoginScenery.progress(.selecting) { $0.accounts = [Account(id: "1", username: "a")] })
        #expect(state.view == .main && LoginScenery.text(state, 40, 12).contains("> 1 a"))
    }
}
