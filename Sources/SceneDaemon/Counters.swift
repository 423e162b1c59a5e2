import LinuxIO
import SceneModel

/// What has happened since the start.
struct Counters {
    var connections = 0
    var calls = 0
    var refusals = 0
    var logins = 0
    var tokens = 0
    var refreshes = 0
    var revocations = 0
    var commits = 0
    var failedCommits = 0

    var metrics: [Metric] {
        [
            ("scened.connections", connections), ("scened.calls", calls), ("scened.refusals", refusals),
            ("scened.logins", logins), ("scened.token_requests", tokens), ("scened.refreshes", refreshes),
            ("scened.revocations", revocations), ("scened.commits", commits),
            ("scened.commits_failed", failedCommits),
        ].map { name, value in
            var metric = Metric()
            metric.name = name
            metric.value = Double(value)
            return metric
        }
    }
}

extension Daemon {
    var metrics: [Metric] {
        func gauge(_ name: String, _ value: Int, unit: String? = nil) -> Metric {
            var metric = Metric()
            metric.name = name
            metric.kind = .gauge
            metric.unit = unit
            metric.value = Double(value)
            return metric
        }
        func counter(_ name: String, _ value: Int) -> Metric {
            var metric = gauge(name, value)
            metric.kind = .counter
            return metric
        }
        return counters.metrics + [
            counter("scened.quota_refusals", quotas.refused),
            gauge("scened.uptime", EventLoop.now.boot.seconds(since: started.boot), unit: "s"),
            gauge("scened.connections_open", connections.count),
            gauge("scened.scenes", sessions.values.reduce(0) { $0 + $1.session.scenes.count }),
            gauge("scened.accounts", sessions.values.reduce(0) { $0 + $1.session.accounts.count }),
            gauge("scened.logins_under_way", sessions.values.count { $0.login != nil }),
        ]
    }
}
