import SceneModel

package struct HTTPRequest: Sendable {
    package var method: String
    package var url: String
    package var headers: [(name: String, value: String)]
    package var body: Secret?
    /// Up to 5 redirects: https to https, and from loopback to anywhere that can be asked. For GET only.
    package var followsRedirects: Bool
    /// Of the answer's body.
    package var maximumBytes: Int
    /// From the start to the answer's last byte.
    package var timeoutSeconds: Int

    package init(
        method: String = "GET", url: String, headers: [(name: String, value: String)] = [], body: Secret? = nil,
        followsRedirects: Bool = false, maximumBytes: Int = 1 << 20, timeoutSeconds: Int = 30
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.followsRedirects = followsRedirects
        self.maximumBytes = maximumBytes
        self.timeoutSeconds = timeoutSeconds
    }
}

package struct HTTPResponse: Sendable {
    package var status: Int
    /// By lowercase name; a repeated header's values are joined by commas.
    package var headers: [String: String]
    package var body: [UInt8]
    /// Whether the answer says where its body ends. If not, the body may be cut off.
    package var isDelimited: Bool

    package init(
        status: Int, headers: [String: String] = [:], body: [UInt8] = [], isDelimited: Bool = true
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.isDelimited = isDelimited
    }
}

package enum HTTPFailure: Error, Sendable, Equatable {
    /// The request was not sent: no connection came about.
    case unreachable(reason: String)
    /// The request was not sent in time.
    case timedOut
    /// The request was sent, whole or in part, and its answer did not come to its end: what it asked for may have happened.
    case interrupted(reason: String)
    case tooLarge
    /// The server's certificate or its TLS is not acceptable.
    case tls(reason: String)
    case cancelled
    /// Not https, nor http on a loopback address; or a header that cannot be sent.
    case badURL
}
