// What org.scened.Manager tells about the service as a whole.

public enum Activation: String, CaseIterable, Hashable, Sendable {
    case foreground, background
}

/// A connected scene, as an administrator sees it.
public struct SceneInfo: Hashable, Sendable {
    public var app = ""
    public var id = ""
    public var title: String?
    public var uid = 0
    public var pid = 0
    public var activation = Activation.background
    public var connectedSeconds = 0
    /// Entries of the session's history that are not yet written to the scene's socket.
    public var backlog = 0

    public init() {}
}

/// A configured app.
public struct AppInfo: Hashable, Sendable {
    public var name = ""
    public var displayName = ""
    public var source = ""
    public var problems: [String] = []

    public init() {}
}

/// A token that its login host is still to be told about.
public struct RevocationInfo: Hashable, Sendable {
    public var app = ""
    public var loginHost = ""
    public var reason = ""
    public var attempts = 0
    public var nextAttemptSeconds = 0

    public init() {}
}

public struct Metric: Hashable, Sendable {
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        case counter, gauge
    }

    public var name = ""
    public var kind = Kind.counter
    public var unit: String?
    public var labels: [String: String] = [:]
    public var value = 0.0

    public init() {}
}

public struct ServiceStatus: Hashable, Sendable {
    public var version = ""
    public var uptimeSeconds = 0
    public var restoredScenes = 0
    public var scenes = 0
    public var accounts = 0
    public var sessions = 0
    public var logins = 0
    public var storage = ""
    /// Where the sealing key comes from: credential or file.
    public var keySource = ""
    public var problems: [String] = []

    public init() {}
}
