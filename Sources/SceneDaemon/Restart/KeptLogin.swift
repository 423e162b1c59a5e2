import LinuxIO
import SceneLogin
import SceneModel
import SceneOAuth
import SessionCore
import Varlink

/// A login that waits for its user, as it is kept for the process that comes next: in memory only, as it holds the
/// verifier or the device code.
struct KeptLogin: WireRecord {
    var uid = 0
    var app = ""
    var host = ""
    var force = false
    var loginHint: String?
    var presenter: String?
    var token = ""
    var formToken: String?
    var loginScreen = ""
    var redirectURI = ""
    var authorizationUri = ""
    var state = ""
    var nonce = ""
    var verifier = ""
    var issuer = ""
    var clientID = ""
    var announcesIssuer = false
    var authenticatedSince: Int?
    /// In place of what a login screen needs.
    var code: KeptDeviceCode?
    /// Whom it is to bring, where the identity provider app has said so.
    var expected: Account?

    init() {}

    init(
        _ key: SessionKey, _ attempt: LoginAttempt, _ pending: PendingAuthorization, opened: OpenedLogin
    ) {
        self.init(key, attempt)
        token = opened.token
        formToken = opened.formToken
        loginScreen = opened.loginScreen
        redirectURI = pending.redirectURI
        authorizationUri = pending.authorizationUri
        state = pending.state
        nonce = pending.nonce
        verifier = pending.verifier.text
        issuer = pending.issuer
        clientID = pending.clientID
        announcesIssuer = pending.announcesIssuer
        authenticatedSince = pending.authenticatedSince
        expected = attempt.chosen
    }

    init(_ key: SessionKey, _ attempt: LoginAttempt, _ device: DeviceAuthorization) {
        self.init(key, attempt)
        issuer = device.issuer
        code = KeptDeviceCode(device)
    }

    private init(_ key: SessionKey, _ attempt: LoginAttempt) {
        uid = Int(key.uid)
        app = key.app
        host = attempt.host
        force = attempt.force
        loginHint = attempt.loginHint
        presenter = attempt.presenter.scene
    }

    mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
        try coder.field("uid", &uid)
        try coder.field("app", &app)
        try coder.field("host", &host)
        try coder.field("force", &force)
        try coder.field("loginHint", &loginHint)
        try coder.field("presenter", &presenter)
        try coder.field("token", &token)
        try coder.field("formToken", &formToken)
        try coder.field("loginScreen", &loginScreen)
        try coder.field("redirectURI", &redirectURI)
        try coder.field("authorizationUri", &authorizationUri)
        try coder.field("state", &state)
        try coder.field("nonce", &nonce)
        try coder.field("verifier", &verifier)
        try coder.field("issuer", &issuer)
        try coder.field("clientID", &clientID)
        try coder.field("announcesIssuer", &announcesIssuer)
        try coder.field("authenticatedSince", &authenticatedSince)
        try coder.field("code", &code)
        try coder.field("expected", &expected)
    }

    /// Nil where another version of ours wrote it, or it was not written to its end.
    init?(in file: MemoryFile) {
        guard let element = try? JSONElement.parse(UnsafeRawBufferPointer(file.bytes)),
            let read = try? KeptLogin(parameters: element)
        else { return nil }
        self = read
    }

    func file() throws(SystemError) -> MemoryFile {
        var writer = JSONWriter()
        write(to: &writer)
        let file = try MemoryFile(name: "scened-login", size: writer.bytes.count)
        file.bytes.copyBytes(from: writer.bytes)
        return file
    }

    var key: SessionKey { SessionKey(uid: UInt32(clamping: uid), app: app) }

    var device: DeviceAuthorization? { code?.authorization(issuer: issuer, host: host) }

    var pending: PendingAuthorization {
        PendingAuthorization(
            authorizationUri: authorizationUri, state: state, nonce: nonce, verifier: Secret(verifier),
            redirectURI: redirectURI, issuer: issuer, host: host, clientID: clientID,
            announcesIssuer: announcesIssuer, authenticatedSince: authenticatedSince)
    }
}

extension RestoredLogin {
    init(_ kept: KeptLogin, _ shown: Shown) {
        self.init(
            host: kept.host, force: kept.force, loginHint: kept.loginHint, presenter: kept.presenter, shown: shown,
            expected: kept.expected)
    }
}
