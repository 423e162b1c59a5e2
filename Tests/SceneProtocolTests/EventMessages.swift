import SceneModel
import Varlink

@testable import SceneProtocol

extension Pinned {
    static let events: [Pinned] = [
        event(.snapshot, #","scene":"s1","gap":true,"snapshot":\#(snapshotJSON)"#) {
            $0.scene = "s1"
            $0.gap = true
            $0.snapshot = snapshot
        },
        event(
            .snapshot,
            #","snapshot":{"accounts":[],"pending":"nothing","loginUnderWay":false,"loginHost":"","locked":false}"#
        ) { $0.snapshot = Snapshot() },
        event(.resumed, #","scene":"s1""#) { $0.scene = "s1" },
        event(.currentUserChanged, #","previous":\#(Sample.bareJSON),"current":\#(Sample.fullJSON)"#) {
            $0.previous = Sample.bare
            $0.current = Sample.full
        },
        event(.loggedIn, #","account":\#(Sample.bareJSON)"#) { $0.account = Sample.bare },
        event(.loggedOut, #","account":\#(Sample.bareJSON),"reason":"user""#) {
            $0.account = Sample.bare
            $0.reason = "user"
        },
        event(.accountChanged, #","account":\#(Sample.fullJSON)"#) { $0.account = Sample.full },
        event(.selectionRequired, #","accounts":[\#(Sample.bareJSON)]"#) { $0.accounts = [Sample.bare] },
        event(.loginRequired, #","reason":"revoked""#) { $0.reason = "revoked" },
        event(.loginStarted, #","presenter":"s1""#) { $0.presenter = "s1" },
        event(.loginEnded, #","reason":"cancelled""#) { $0.reason = "cancelled" },
        event(.loginHostChanged, #","previousLoginHost":"https://a","loginHost":"https://b""#) {
            $0.previousLoginHost = "https://a"
            $0.loginHost = "https://b"
        },
        event(.locked, "") { _ in },
        event(.unlocked, "") { _ in },
        event(.authorizationRequested, #","request":"r1","requestingApp":"mail""#) {
            $0.request = "r1"
            $0.requestingApp = "mail"
        },
        event(.authorizationEnded, #","reason":"expired","request":"r1","requestingApp":"mail""#) {
            $0.reason = "expired"
            $0.request = "r1"
            $0.requestingApp = "mail"
        },
    ]

    private static func event(_ kind: Event.Kind, _ members: String, _ change: (inout Event) -> Void) -> Pinned {
        let event = Sample.made(Event(kind, at: Sample.cursor), change)
        let json = #"{"event":{"kind":"\#(kind.rawValue)","at":\#(Sample.cursorJSON)\#(members)}}"#
        return .reply(ConnectScene.self, .init(event: event), continues: true, json)
    }

    private static let snapshot = Sample.made(Snapshot()) {
        $0.accounts = [Sample.bare]
        $0.current = Sample.bare
        $0.pending = .selection
        $0.loginUnderWay = true
        $0.presenter = "s2"
        $0.loginHost = "https://h"
        $0.locked = true
    }
    private static let snapshotJSON =
        #"{"accounts":[\#(Sample.bareJSON)],"current":\#(Sample.bareJSON),"pending":"selection","#
        + #""loginUnderWay":true,"presenter":"s2","loginHost":"https://h","locked":true}"#
}
