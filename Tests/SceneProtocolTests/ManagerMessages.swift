import SceneModel
import Varlink

@testable import SceneProtocol

extension Pinned {
    static let manager: [Pinned] = [
        .call(GetStatus.self, Empty(), "{}"),
        .reply(
            GetStatus.self, status,
            #"{"version":"1.0","uptimeSeconds":1,"restoredScenes":2,"scenes":3,"accounts":4,"sessions":5,"logins":6,"#
                + #""storage":"ok","keySource":"file","problems":["p"]}"#),
        .call(ListScenes.self, .init(app: "notes"), #"{"app":"notes"}"#),
        .reply(
            ListScenes.self, .init(scenes: [scene]),
            #"{"scenes":[{"app":"notes","id":"s1","title":"T","uid":1000,"pid":42,"activation":"background","#
                + #""connectedSeconds":9,"backlog":1}]}"#),
        .call(ListApps.self, Empty(), "{}"),
        .reply(
            ListApps.self, .init(apps: [app]),
            #"{"apps":[{"name":"notes","displayName":"Notes","source":"/e/n.conf","problems":[]}]}"#),
        .call(Monitor.self, .init(), more: true, "{}"),
        .reply(
            Monitor.self, .init(app: "notes", uid: 1000, event: Sample.event), continues: true,
            #"{"app":"notes","uid":1000,"event":\#(Sample.eventJSON)}"#),
        .call(ListRevocations.self, Empty(), "{}"),
        .reply(
            ListRevocations.self, .init(revocations: [revocation]),
            #"{"revocations":[{"app":"notes","loginHost":"https://h","reason":"user","attempts":2,"#
                + #""nextAttemptSeconds":30}]}"#),
        .call(
            LogoutUser.self, .init(uid: 1000, app: "notes", reason: "left"),
            #"{"uid":1000,"app":"notes","reason":"left"}"#),
        .reply(LogoutUser.self, .init(accounts: 2), #"{"accounts":2}"#),
        .call(Reload.self, Empty(), "{}"),
        .reply(Reload.self, .init(apps: []), #"{"apps":[]}"#),
        .call(GetMetrics.self, Empty(), "{}"),
        .reply(
            GetMetrics.self, .init(metrics: [metric]),
            #"{"metrics":[{"name":"calls","kind":"gauge","unit":"seconds","labels":{"a":"1","b":"2"},"value":0.25}]}"#),
    ]

    private static let status = Sample.made(ServiceStatus()) {
        $0.version = "1.0"
        $0.uptimeSeconds = 1
        $0.restoredScenes = 2
        $0.scenes = 3
        $0.accounts = 4
        $0.sessions = 5
        $0.logins = 6
        $0.storage = "ok"
        $0.keySource = "file"
        $0.problems = ["p"]
    }

    private static let scene = Sample.made(SceneInfo()) {
        $0.app = "notes"
        $0.id = "s1"
        $0.title = "T"
        $0.uid = 1000
        $0.pid = 42
        $0.connectedSeconds = 9
        $0.backlog = 1
    }

    private static let app = Sample.made(AppInfo()) {
        $0.name = "notes"
        $0.displayName = "Notes"
        $0.source = "/e/n.conf"
    }

    private static let revocation = Sample.made(RevocationInfo()) {
        $0.app = "notes"
        $0.loginHost = "https://h"
        $0.reason = "user"
        $0.attempts = 2
        $0.nextAttemptSeconds = 30
    }

    private static let metric = Sample.made(Metric()) {
        $0.name = "calls"
        $0.kind = .gauge
        $0.unit = "seconds"
        $0.labels = ["b": "2", "a": "1"]
        $0.value = 0.25
    }
}
