import SceneModel
import Testing

@testable import SceneCommands

@Suite struct EventTextTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var event: Event
        var text: String
        var testDescription: String { event.kind.rawValue }

        init(_ kind: Event.Kind, _ text: String, _ change: (inout Event) -> Void = { _ in }) {
            event = Event(kind)
            change(&event)
            self.text = text
        }
    }

    @Test(arguments: [
        Case(.snapshot, "scene w1, some history is lost, current user Ada Lovelace (ada), 2 accounts, login under way")
        {
            $0.scene = "w1"
            $0.gap = true
            var snapshot = Snapshot()
            snapshot.accounts = [Fixture.ada, Fixture.bob]
            snapshot.current = Fixture.ada
            snapshot.loginUnderWay = true
            $0.snapshot = snapshot
        },
        Case(.snapshot, "current user nobody, 0 accounts, selection pending, locked") {
            var snapshot = Snapshot()
            snapshot.pending = .selection
            snapshot.locked = true
            $0.snapshot = snapshot
        },
        Case(.resumed, "scene w1") { $0.scene = "w1" },
        Case(.currentUserChanged, "bob, was Ada Lovelace (ada)") {
            $0.previous = Fixture.ada
            $0.current = Fixture.bob
        },
        Case(.currentUserChanged, "nobody, was bob") { $0.previous = Fixture.bob },
        Case(.loggedIn, "Ada Lovelace (ada)") { $0.account = Fixture.ada },
        Case(.loggedOut, "bob: end of shift") {
            $0.account = Fixture.bob
            $0.reason = "end of shift"
        },
        Case(.loginRequired, "bob: invalid_grant") {
            $0.account = Fixture.bob
            $0.reason = "invalid_grant"
        },
        Case(.loginRequired, ""),
        Case(.accountChanged, "bob is now degraded") { $0.account = Fixture.bob },
        Case(.selectionRequired, "choose one of Ada Lovelace (ada), bob") { $0.accounts = [Fixture.ada, Fixture.bob] },
        Case(.loginStarted, "shown by scene w1") { $0.presenter = "w1" },
        Case(.loginEnded, "timed\\x1b out") { $0.reason = "timed\u{1b} out" },
        Case(.loginHostChanged, "https://b, was https://a") {
            $0.previousLoginHost = "https://a"
            $0.loginHost = "https://b"
        },
        Case(.locked, ""), Case(.unlocked, ""), Case(.locked, "by the screen") { $0.reason = "screen" },
        Case(.authorizationRequested, "by mail") { $0.requestingApp = "mail" },
    ])
    func isOneLine(_ example: Case) {
        #expect(EventText(example.event).text == example.text)
    }

    @Test func everyKindHasAText() {
        for kind in Event.Kind.allCases { #expect(!EventText(Event(kind)).text.contains("\n")) }
    }
}
