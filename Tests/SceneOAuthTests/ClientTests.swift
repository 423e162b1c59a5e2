import SceneModel
import Testing

@testable import SceneOAuth

@Suite struct ClientTests {
    private func authenticate(secret: String?, methods: [String]?) -> (form: String, authorization: String?) {
        let client = Client(clientID: "a b", clientSecret: secret.map { Secret($0) })
        var form = Form()
        var headers: [(name: String, value: String)] = []
        ClientAuthentication(client, methods: methods).apply(client, to: &form, headers: &headers)
        return (form.text, headers.first { $0.name == "Authorization" }?.value)
    }

    @Test(arguments: [nil, [], ["client_secret_basic"], ["client_secret_post"]] as [[String]?])
    func publicClientNamesItself(methods: [String]?) {
        let sent = authenticate(secret: nil, methods: methods)
        #expect(sent.form == "client_id=a%20b")
        #expect(sent.authorization == nil)
    }

    @Test(arguments: [nil, [], ["client_secret_post", "client_secret_basic"], ["private_key_jwt"]] as [[String]?])
    func basic(methods: [String]?) {
        let sent = authenticate(secret: "p:w+", methods: methods)
        #expect(sent.form == "")
        // a%20b:p%3Aw%2B, each half form-encoded before the base64 (RFC 6749, section 2.3.1)
        #expect(sent.authorization == "Basic YSUyMGI6cCUzQXclMkI=")
    }

    @Test func post() {
        let sent = authenticate(secret: "p:w+", methods: ["none", "client_secret_post"])
        #expect(sent.form == "client_id=a%20b&client_secret=p%3Aw%2B")
        #expect(sent.authorization == nil)
    }

    @Test(arguments: [("", ["openid"]), ("email  openid", ["email", "openid"]), ("email", ["openid", "email"])])
    func openidIsAlwaysAskedFor(scopes: String, names: [String]) {
        #expect(Client(clientID: "a", scopes: scopes).scopeNames == names)
    }
}
