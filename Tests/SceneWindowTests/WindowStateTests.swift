import SceneSession
import TerminalScreen
import Testing

@testable import SceneWindow

struct WindowStateTests {
    private func pressed(_ key: Key, _ state: WindowState) -> (wish: Wish?, state: WindowState) {
        var state = state
        let wish = state.pressed(key)
        return (wish, state)
    }

    @Test(
        arguments: [
            ("l", Wish.signInAnother), ("o", .logout(Fixtures.alice)), ("a", .logoutAll), ("t", .fetchToken),
            ("q", .quit),
        ] as [(Character, Wish)])
    func keysAskForWhatTheyAreLabelledWith(_ key: Character, _ wish: Wish) {
        let window = Fixtures.window(Fixtures.alice, Fixtures.bob)
        #expect(pressed(.character(key), window).wish == wish)
    }

    @Test func withNobodySignedInOnlyALoginMakesSense() {
        let window = Fixtures.window()
        #expect(pressed(.character("l"), window).wish == .signIn)
        for key in ["s", "o", "a", "c"] as [Character] {
            let (wish, state) = pressed(.character(key), window)
            #expect(wish == nil && state.notice != nil, "\(key)")
        }
    }

    @Test func switchesByArrowsOrNumber() {
        var window = Fixtures.window(Fixtures.alice, Fixtures.bob, Fixtures.carol)
        #expect(window.pressed(.character("s")) == nil)
        // The first that is not current.
        #expect(window.chosen == Fixtures.bob.id)
        #expect(pressed(.character("3"), window).wish == .switchTo(Fixtures.carol))
        #expect(pressed(.enter, pressed(.down, window).state).wish == .switchTo(Fixtures.carol))
        #expect(pressed(.enter, pressed(.up, window).state).wish == nil)
        #expect(pressed(.character("9"), window).wish == nil)
        #expect(pressed(.escape, window).state.chosen == nil)
        #expect(pressed(.character("o"), window).wish == .logout(Fixtures.alice))
    }

    @Test func numbersDoNothingWithoutTheList() {
        #expect(pressed(.character("2"), Fixtures.window(Fixtures.alice, Fixtures.bob)).wish == nil)
        #expect(pressed(.enter, Fixtures.window(Fixtures.alice, Fixtures.bob)).wish == nil)
    }

    @Test func anAccountThatGoesIsNotChosenAnyMore() {
        var window = Fixtures.window(Fixtures.alice, Fixtures.bob, Fixtures.carol)
        window.openList()
        window.happened(Fixtures.event(.loggedOut) { $0.account = Fixtures.bob })
        #expect(window.pressed(.enter) == .switchTo(Fixtures.carol))
    }

    @Test func aSelectionOpensTheListAndTheChoiceOfAnotherSceneClosesIt() {
        var window = Scenery.selecting.state
        #expect(window.chosen != nil)
        window.happened(Fixtures.event(.currentUserChanged, 11) { $0.current = Fixtures.bob })
        #expect(window.chosen == nil)
        #expect(window.snapshot.current == Fixtures.bob)
    }

    @Test func aSelectionIsStillToBeMadeAfterALoginThatWasCancelled() {
        var window = Scenery.selecting.state
        window.presents(LoginProgress(.presenting))
        #expect(window.chosen == nil)
        window.loginClosed()
        window.loginEnded(.failure(.loginCancelled))
        #expect(window.chosen != nil)
    }

    @Test func oneLoginAtATime() {
        #expect(pressed(.character("l"), Scenery.waiting.state).wish == nil)
        #expect(pressed(.character("c"), Scenery.waiting.state).wish == .cancelLogin)
        #expect(pressed(.character("l"), Scenery.selecting.state).wish == .signInAnother)
    }

    @Test func keysAreTheLoginScreensWhileItIsShown() {
        let window = Scenery.signingIn.state
        #expect(pressed(.escape, window).wish == .login(.goBack))
        #expect(pressed(.character("c"), window).wish == .cancelLogin)
        #expect(pressed(.character("q"), window).wish == .quit)
        for key in ["l", "o", "a", "t"] as [Character] { #expect(pressed(.character(key), window).wish == nil) }
        // In a text they are letters.
        var adding = window
        for key in [.character("h"), .character("a"), .character("q"), .character("c")] as [Key] {
            #expect(adding.pressed(key) == nil)
        }
        _ = adding.pressed(.enter)
        #expect(adding.pressed(.enter) == .login(.addHost(url: "qc", label: nil)))
    }

    @Test(arguments: ["l", "o", "a", "t"] as [Character])
    func nothingIsPutOffWhileScenedIsAway(_ key: Character) {
        let (wish, state) = pressed(.character(key), Scenery.away.state)
        #expect(wish == nil && state.notice != nil)
        #expect(pressed(.character("q"), state).wish == .quit)
    }

    @Test func anOldNoticeGoesWithTheNextKey() {
        var window = Fixtures.window(Fixtures.alice)
        window.told("something")
        #expect(pressed(.character("z"), window).state.notice == nil)
    }

    @Test func theHistoryIsBounded() {
        var window = Fixtures.window(Fixtures.alice)
        for sequence in 8..<2000 { window.happened(Fixtures.event(.locked, sequence)) }
        #expect(window.history.count == WindowState.historyLimit)
        #expect(window.history.last?.sequence == 1999)
    }
}

struct NewsTests {
    @Test func tellsEachThingOnce() {
        let before = Fixtures.window()
        var after = before
        after.happened(Fixtures.event(.loginStarted) { $0.presenter = after.scene })
        var progress = LoginProgress(.presenting)
        progress.loginScreen = "http://127.0.0.1:1/x"
        after.presents(progress)
        #expect(
            News.lines(from: before, to: after) == [
                "08:05:18 8 login started by this scene",
                "To sign in, open in your browser: http://127.0.0.1:1/x",
            ])
        #expect(News.lines(from: after, to: after).isEmpty)
    }

    @Test func tellsThatScenedIsAwayAndBack() {
        let before = Fixtures.window()
        var away = before
        away.presence = .away
        #expect(News.lines(from: before, to: away) == ["scened is away, reconnecting…"])
        #expect(News.lines(from: away, to: before) == ["scened is back"])
    }
}

struct TokenTextTests {
    @Test func neverShowsTheToken() {
        let token = AccessToken(
            value: Secret("s3cret"), type: "Bearer", account: Fixtures.alice, expiresInSeconds: 299)
        #expect(TokenText.text(token) == "Bearer token, lives 299 s: Alice Example")
    }
}
