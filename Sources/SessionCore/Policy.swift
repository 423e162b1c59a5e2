import SceneModel

/// What an app's configuration decides for its sessions.
package struct AppPolicy: Hashable, Sendable {
    package enum AfterLogout: String, CaseIterable, Sendable {
        /// 0 accounts left: login; 1: switch to it; more: choose.
        case follow
        case login, select, none
    }

    /// What locks and unlocks a session besides calls.
    package enum Lock: String, CaseIterable, Sendable {
        case call
        /// The user's screen, as logind tells.
        case session
    }

    package var app: String
    package var afterLogout: AfterLogout
    /// The administrator's and the app's, in order, without the user's own.
    package var loginHosts: [LoginHost] {
        didSet { places = Self.places(of: loginHosts) }
    }
    /// The user may add, remove and select login hosts: the login screen shows its gear.
    package var canChangeLoginHost: Bool
    package var lock: Lock
    /// `loginHosts` are all: the user adds none, and those added before are hidden.
    package var onlyManagedLoginHosts: Bool
    /// Indices of `loginHosts` by address: there may be many.
    private var places: [String: Int]
    /// The app whose scenes are asked first, where somebody has to sign in; or `com.example.notes:`, the scheme of one that
    /// is asked by a URL.
    package var identityProvider: String?
    /// The apps that may ask this one, and the schemes of those that may by a URL.
    package var identityProviderFor: Set<String> = []
    /// Where one asks and no scene is there, the app can be started.
    package var canBeStarted = false

    package init(
        app: String, afterLogout: AfterLogout = .follow, loginHosts: [LoginHost],
        canChangeLoginHost: Bool = true, onlyManagedLoginHosts: Bool = false, lock: Lock = .call
    ) {
        self.lock = lock
        self.app = app
        self.afterLogout = afterLogout
        self.loginHosts = loginHosts
        self.canChangeLoginHost = canChangeLoginHost
        self.onlyManagedLoginHosts = onlyManagedLoginHosts
        places = Self.places(of: loginHosts)
    }

    func loginHost(at url: String) -> LoginHost? {
        places[url].map { loginHosts[$0] }
    }

    private static func places(of hosts: [LoginHost]) -> [String: Int] {
        Dictionary(hosts.indices.map { (hosts[$0].url, $0) }, uniquingKeysWith: { first, _ in first })
    }
}

/// Limits and defaults of a session, in seconds unless said otherwise.
package enum Bounds {
    package static let loginTimeout = 600
    package static let longestLoginTimeout = 86_400
    /// How long the reply to a logout waits for the login host.
    package static let logoutReply = 3
    package static let minimumValidity = 60
    /// What `slow_down` adds to the interval of a device's requests (RFC 8628, section 3.5).
    package static let slowDown = 5
    package static let longestDeviceRetry = 60
    /// How long an identity provider app has for its answer, and the user then to end a login that it began.
    package static let authorization = 300
    /// How long an identity provider app has from its start to its first scene.
    package static let providerStart = 30
    /// Requests that came as URLs and wait for an answer: anybody may have sent them.
    package static let openMessages = 16
    /// Nonces of such messages that are remembered.
    package static let nonces = 256
    /// How long a login without anybody who waits is kept after a restart.
    package static let keptLogin = 30
    package static let firstRetry = 2
    package static let longestRetry = 300
    /// A Retry-After is heeded for so long.
    package static let longestRetryAfter = 86_400
    package static let firstRevocationRetry = 10
    package static let longestRevocationRetry = 3600
    /// A revocation that could not be told for so long is given up.
    package static let revocationLife = 30 * 86_400
    /// But not before it was tried so often, over some hours: the clock may have been set meanwhile.
    package static let leastRevocationAttempts = 12
    /// User login hosts of one session.
    package static let loginHosts = 100
    /// Bytes of a scene's identifier or title, a reason, a label.
    package static let text = 256
}
