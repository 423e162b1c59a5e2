import SceneModel

/// What an app's configuration decides for its sessions.
package struct AppPolicy: Hashable, Sendable {
    package enum AfterLogout: String, CaseIterable, Sendable {
        /// 0 accounts left: login; 1: switch to it; more: choose.
        case follow
        case login, select, none
    }

    package var app: String
    package var afterLogout: AfterLogout
    /// The administrator's and the app's, in order, without the user's own.
    package var loginHosts: [LoginHost]
    /// The user may add, remove and select login hosts: the login screen shows its gear.
    package var canChangeLoginHost: Bool
    /// The app whose scenes are asked first, where somebody has to sign in.
    package var identityProvider: String?
    /// The apps that may ask this one.
    package var identityProviderFor: Set<String> = []
    /// Where one asks and no scene is there, the app can be started.
    package var canBeStarted = false

    package init(
        app: String, afterLogout: AfterLogout = .follow, loginHosts: [LoginHost],
        canChangeLoginHost: Bool = true
    ) {
        self.app = app
        self.afterLogout = afterLogout
        self.loginHosts = loginHosts
        self.canChangeLoginHost = canChangeLoginHost
    }
}

/// Limits and defaults of a session, in seconds unless said otherwise.
package enum Bounds {
    package static let loginTimeout = 600
    package static let longestLoginTimeout = 86_400
    /// How long the reply to a logout waits for the login host.
    package static let logoutReply = 3
    package static let minimumValidity = 60
    /// How long an identity provider app has for its answer, and the user then to end a login that it began.
    package static let authorization = 300
    /// How long an identity provider app has from its start to its first scene.
    package static let providerStart = 30
    /// How long a login without anybody who waits is kept after a restart.
    package static let keptLogin = 30
    package static let firstRetry = 2
    package static let longestRetry = 300
    package static let firstRevocationRetry = 10
    package static let longestRevocationRetry = 3600
    /// A revocation that could not be told for so long is given up.
    package static let revocationLife = 30 * 86_400
    /// User login hosts of one session.
    package static let loginHosts = 100
    /// Bytes of a scene's identifier or title, a reason, a label.
    package static let text = 256
}
