import SceneModel

extension HTTPResponse {
    /// An answer that tells nothing about the grant: overload, a proxy's page, a redirect.
    func unavailable(_ what: String, wallNow: Int) -> OAuthFailure {
        .unavailable(
            retryAfterSeconds: HostTiming.retryAfter(headers["retry-after"], wallNow: wallNow),
            reason: "HTTP status \(status) for \(what)")
    }

    /// The members of `error` and `error_description`, where the host sent its own refusal (RFC 6749, section 5.2).
    func refusal(hiding secrets: [Secret]) -> (code: String, description: String?)? {
        guard let members = JSONValue.object(in: body), let code = members["error"]?.string, !code.isEmpty else {
            return nil
        }
        return (
            ScrubbedText.code(code, hiding: secrets),
            members["error_description"]?.string.flatMap { ScrubbedText.of($0, hiding: secrets) }
        )
    }

    /// Whether it is a page for people: HTML.
    var isPage: Bool {
        body.first { ![0x09, 0x0a, 0x0d, 0x20].contains($0) } == UInt8(ascii: "<")
    }

    /// Overload and trouble of the host, whatever the body says.
    var isOverloaded: Bool { status == 408 || status == 429 || status >= 500 }
}

/// OAuth error codes that say "later", not "no".
let passingErrors: Set<String> = ["temporarily_unavailable", "server_error", "slow_down"]
