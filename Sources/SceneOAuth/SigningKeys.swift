import SceneModel

/// Fetches a login host's JWK Set (RFC 7517, section 5).
enum SigningKeys {
    /// Returns what cancels it; `completion` is called then, too.
    static func fetch(
        _ url: String, http: HTTPClient, clock: @escaping () -> Moment,
        completion: @escaping (Result<Fetched<[JSONWebKey]>, OAuthFailure>) -> Void
    ) -> () -> Void {
        let request = HTTPRequest(
            url: url, headers: [(name: "Accept", value: "application/json")], followsRedirects: true,
            maximumBytes: 256 << 10, timeoutSeconds: 15)
        return http.start(request) { result in
            completion(result.mapError(OAuthFailure.init).flatMap { read($0, wallNow: clock().wall) })
        }
    }

    private static func read(_ response: HTTPResponse, wallNow: Int) -> Result<Fetched<[JSONWebKey]>, OAuthFailure> {
        guard response.status == 200 else {
            return .failure(response.unavailable("the login host's keys", wallNow: wallNow))
        }
        guard let keys = JSONWebKey.keys(in: response.body) else {
            return .failure(.unavailable("the login host's keys are no JWK Set"))
        }
        return .success(
            Fetched(
                document: keys,
                lifetimeSeconds: HostTiming.lifetime(cacheControl: response.headers["cache-control"])))
    }
}
