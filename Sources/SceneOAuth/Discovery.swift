import SceneModel

/// Fetches a login host's metadata: the OpenID Connect document, completed by RFC 8414's.
final class Discovery {
    typealias Completion = (Result<Fetched<ProviderMetadata>, OAuthFailure>) -> Void

    private let http: HTTPClient
    private let clock: () -> Moment
    private let host: String
    private var completion: Completion?
    private var others: ArraySlice<String>
    private var found: Fetched<ProviderMetadata>?
    private var failure: OAuthFailure?
    private var cancelTransfer: () -> Void = {}

    /// Returns what cancels it; `completion` is called then, too.
    static func fetch(
        host: String, http: HTTPClient, clock: @escaping () -> Moment, completion: @escaping Completion
    ) -> () -> Void {
        let discovery = Discovery(host: host, http: http, clock: clock, completion: completion)
        discovery.get(HostAddress.openIDConfiguration(of: host), timeoutSeconds: 15)
        return { discovery.cancelTransfer() }
    }

    private init(host: String, http: HTTPClient, clock: @escaping () -> Moment, completion: @escaping Completion) {
        self.host = host
        self.http = http
        self.clock = clock
        self.completion = completion
        others = HostAddress.authorizationServerMetadata(of: host)[...]
    }

    private func get(_ url: String, timeoutSeconds: Int) {
        let request = HTTPRequest(
            url: url, headers: [(name: "Accept", value: "application/json")], followsRedirects: true,
            maximumBytes: 256 << 10, timeoutSeconds: timeoutSeconds)
        // Keeps this object until the answer is here.
        cancelTransfer = http.start(request) { [self] result in took(result) }
    }

    private func took(_ result: Result<HTTPResponse, HTTPFailure>) {
        switch result {
        case .failure(.cancelled): finish(.failure(.cancelled))
        case .failure(let reason):
            // A host that does not answer for one document does not for the others.
            found?.lifetimeSeconds = 300
            finish(found.map { .success($0) } ?? .failure(OAuthFailure(reason)))
        case .success(let response): took(response)
        }
    }

    private func took(_ response: HTTPResponse) {
        guard response.status == 200 else {
            failure = failure ?? response.unavailable("the login host's metadata", wallNow: clock().wall)
            return next()
        }
        if found != nil {
            found?.document.complete(from: response.body, host: host)
            return next()
        }
        do throws(OAuthFailure) {
            found = Fetched(
                document: try ProviderMetadata(response.body, host: host),
                lifetimeSeconds: HostTiming.lifetime(cacheControl: response.headers["cache-control"]))
        } catch {
            failure = error
        }
        next()
    }

    private func next() {
        if found?.document.isComplete != true, let url = others.popFirst() {
            get(url, timeoutSeconds: 5)
        } else if let found {
            finish(.success(found))
        } else {
            finish(.failure(failure ?? .unavailable("the login host has no metadata")))
        }
    }

    private func finish(_ result: Result<Fetched<ProviderMetadata>, OAuthFailure>) {
        guard let completion else { return }
        self.completion = nil
        cancelTransfer = {}
        completion(result)
    }
}
