import SceneModel

/// What apps that talk through URLs of private schemes say to each other for a sign-in, by the names that the Mobile SDK
/// has for it: `com.example.notes:/idp/authrequest?…`. What belongs to OAuth stands in it by its own names, the rest as
/// `idp_…`.
///
/// A URL does not tell who opened it: any web page may have. So a message counts for what its nonce shows, and no more.
package struct IdentityProviderMessage: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        /// To the provider: the app asks for an authorization response, which the login host is to send it.
        case authrequest(AuthorizationParameters)
        /// To the app: that response, from a provider that has caught it.
        case authresponse(CallbackParameters)
        /// To the app: it is to ask.
        case idpinit(loginHint: String?)
        /// To the app: as `authresponse`, where the provider has had it ask.
        case idpauthcodeinit(CallbackParameters)
        /// To the app: it gets none.
        case error(code: String, description: String?)
    }

    /// Schemes, in lower case.
    package var receiver: String
    package var sender: String
    /// The one that it is, or that it answers. Absent in `idpinit`.
    package var request: String?
    /// Of an answer: its request's.
    package var nonce: String
    /// Seconds since 1970.
    package var expires: Int
    package var content: Content

    package init(
        receiver: String, sender: String, request: String?, nonce: String, expires: Int, content: Content
    ) {
        self.receiver = receiver
        self.sender = sender
        self.request = request
        self.nonce = nonce
        self.expires = expires
        self.content = content
    }

    /// How long a message is good for at the most, seconds.
    package static let longestLife = 600

    package func isTimely(at wall: Int) -> Bool {
        expires > wall && expires - Self.longestLife <= wall
    }
}

extension IdentityProviderMessage {
    private static let version = "1"
    private static let path = ":/idp/"
    private static let kinds: Set<String> = ["authrequest", "authresponse", "idpinit", "idpauthcodeinit", "error"]

    package enum Fault: String, Error {
        case malformed = "it is no message that can be read"
        case unknownVersion = "it is of another version of the messages"
        case badEnvelope = "its sender, request, nonce or expiry is not in order"
        case badContent = "what it says is not in order"
        /// The code would go to somebody else than who asks.
        case foreignRedirect = "its redirect URI is not of its sender's scheme"
    }

    private var kind: String {
        switch content {
        case .authrequest: "authrequest"
        case .authresponse: "authresponse"
        case .idpinit: "idpinit"
        case .idpauthcodeinit: "idpauthcodeinit"
        case .error: "error"
        }
    }

    package var url: String {
        var query = Form()
        query.add("idp_version", Self.version)
        query.add("idp_sender", sender)
        if let request { query.add("idp_request", request) }
        query.add("idp_nonce", nonce)
        query.add("idp_expires", String(expires))
        switch content {
        case .authrequest(let parameters): parameters.add(to: &query)
        case .authresponse(let answer), .idpauthcodeinit(let answer): answer.add(to: &query)
        case .idpinit(let loginHint):
            if let loginHint, AuthorizationParameters.isText(loginHint) { query.add("login_hint", loginHint) }
        case .error(let code, let description):
            query.add("error", code)
            if let description { query.add("error_description", description) }
        }
        return receiver + Self.path + kind + "?" + query.text
    }

    /// Whether a URL is meant for one, whatever it says.
    package static func isMeant(by url: String) -> Bool { kind(of: url) != nil }

    private static func kind(of url: String) -> (receiver: String, kind: String, query: String)? {
        guard let colon = url.firstIndex(of: ":"), url[colon...].hasPrefix(path) else { return nil }
        let rest = url[colon...].dropFirst(path.count)
        let kind = rest.prefix { $0 != "?" }
        guard kinds.contains(String(kind)) else { return nil }
        return (url[..<colon].lowercased(), String(kind), String(rest[kind.endIndex...].dropFirst()))
    }

    /// At most 8 KiB. Parameters that it does not know are passed over, empty ones are absent.
    package init(_ url: String) throws(Fault) {
        guard url.utf8.count <= 8 << 10, let (receiver, kind, query) = Self.kind(of: url),
            let pairs = Form.decode(query)
        else { throw .malformed }
        var fields: [String: String] = [:]
        for (name, value) in pairs where fields.updateValue(value, forKey: name) != nil { throw .malformed }
        fields = fields.filter { !$0.value.isEmpty }
        guard fields["idp_version"] == Self.version else { throw .unknownVersion }
        guard Self.isScheme(receiver), let sender = fields["idp_sender"], Self.isScheme(sender),
            sender == sender.lowercased(), let nonce = fields["idp_nonce"], Self.isIdentifier(nonce),
            let expires = fields["idp_expires"].flatMap({ Self.seconds($0) }),
            fields["idp_request"].map(Self.isIdentifier) ?? (kind == "idpinit")
        else { throw .badEnvelope }
        self.init(
            receiver: receiver, sender: sender, request: kind == "idpinit" ? nil : fields["idp_request"], nonce: nonce,
            expires: expires, content: try Self.content(kind, fields, query, sender: sender))
    }

    private static func content(
        _ kind: String, _ fields: [String: String], _ query: String, sender: String
    ) throws(Fault) -> Content {
        switch kind {
        case "authrequest":
            guard let parameters = AuthorizationParameters(fields) else { throw .badContent }
            guard parameters.redirectURI.prefix(while: { $0 != ":" }).lowercased() == sender else {
                throw .foreignRedirect
            }
            return .authrequest(parameters)
        case "authresponse", "idpauthcodeinit":
            guard let answer = CallbackParameters(query: query), answer.state != nil,
                answer.code != nil || answer.error != nil
            else { throw .badContent }
            return kind == "authresponse" ? .authresponse(answer) : .idpauthcodeinit(answer)
        case "idpinit":
            let hint = fields["login_hint"]
            guard hint.map({ AuthorizationParameters.isText($0) }) ?? true else { throw .badContent }
            return .idpinit(loginHint: hint)
        default:
            // RFC 6749, section 4.1.2.1; what else was said is left out.
            let code = (fields["error"] ?? "").unicodeScalars.filter {
                (0x20...0x7e).contains($0.value) && $0 != "\"" && $0 != "\\"
            }
            guard !code.isEmpty else { throw .badContent }
            return .error(
                code: String(String.UnicodeScalarView(code.prefix(64))),
                description: fields["error_description"].flatMap { ScrubbedText.visible($0, longest: 256) })
        }
    }

    /// A private one (RFC 8252, section 7.1), which has a dot.
    package static func isScheme(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, isLetter(first), text.utf8.count <= 128 else { return false }
        return text.contains(".")
            && text.utf8.allSatisfy { isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) }
    }

    private static func isIdentifier(_ text: String) -> Bool {
        (16...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { isLetter($0) || isDigit($0) || "-._~".utf8.contains($0) }
    }

    private static func seconds(_ text: String) -> Int? {
        text.utf8.count <= 12 && text.utf8.allSatisfy(isDigit) ? Int(text) : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
    }
}
