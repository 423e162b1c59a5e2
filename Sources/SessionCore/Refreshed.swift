import SceneModel

/// What a refresh brought; what it left out stays as it was.
package struct Refreshed: Sendable {
    /// The client that asked: also where the app is configured otherwise by now, or no more.
    package var clientID: String
    package var accessToken: Secret?
    package var tokenType: String
    package var refreshToken: Secret?
    package var idToken: Secret?
    package var scope: String?
    package var lifetime: Lifetime?
    package var instanceUrl: String?
    /// With `idToken`: all claims, as one JSON object.
    package var claims: String?
    /// What is wrong with all but the refresh token: only that takes the old one's place, and it is tried again later.
    package var fault: Failure?

    package init(
        clientID: String, accessToken: Secret?, tokenType: String, refreshToken: Secret?, idToken: Secret?,
        scope: String?, lifetime: Lifetime?, instanceUrl: String?, claims: String? = nil
    ) {
        self.clientID = clientID
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.refreshToken = refreshToken
        self.idToken = idToken
        self.scope = scope
        self.lifetime = lifetime
        self.instanceUrl = instanceUrl
        self.claims = claims
    }

    /// An answer of which nothing but a refresh token can be used.
    package init(clientID: String, accessToken: Secret?, refreshToken: Secret, fault: Failure) {
        self.init(
            clientID: clientID, accessToken: accessToken, tokenType: "", refreshToken: refreshToken, idToken: nil,
            scope: nil, lifetime: nil, instanceUrl: nil)
        self.fault = fault
    }
}

extension Lifetime {
    /// Seconds left by the clock that shows the fewer; none after a reboot where the wall clock has gone back.
    func remaining(_ world: World) -> Int {
        let byWall = seconds.minus(max(0, world.now.wall.minus(obtained.wall)))
        guard bootID == world.bootID else { return world.now.wall < obtained.wall ? 0 : byWall }
        return min(byWall, seconds.minus(max(0, world.now.boot.seconds(since: obtained.boot))))
    }

    func isOfThisSecond(_ world: World) -> Bool {
        Lifetime(obtained: obtained, seconds: 1, bootID: bootID).remaining(world) > 0
    }
}

extension Grant {
    func replaced(by refreshed: Refreshed) -> Grant {
        var grant = self
        grant.generation += 1
        grant.refreshToken = refreshed.refreshToken ?? refreshToken
        grant.isRefreshing = false
        guard let accessToken = refreshed.accessToken, refreshed.fault == nil else { return grant }
        grant.accessToken = accessToken
        grant.tokenType = refreshed.tokenType
        grant.idToken = refreshed.idToken ?? idToken
        grant.scope = refreshed.scope ?? scope
        grant.lifetime = refreshed.lifetime
        grant.instanceUrl = refreshed.instanceUrl ?? instanceUrl
        return grant
    }
}
