import SceneModel
import Testing

@testable import SceneOAuth

@Suite struct ClientTests {
    @Test(arguments: [("", ["openid"]), ("email  openid", ["email", "openid"]), ("email", ["openid", "email"])])
    func openidIsAlwaysAskedFor(scopes: String, names: [String]) {
        #expect(Client(clientID: "a", scopes: scopes).scopeNames == names)
    }
}
