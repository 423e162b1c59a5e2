import SceneModel
import Testing

@testable import SceneOAuth

@Suite struct CallbackParametersTests {
    @Test func readsAnAnswer() throws {
        let callback = try #require(
            CallbackParameters(query: "code=a%2Fb&state=xyz&iss=https%3A%2F%2Flogin.example.com&session_state=1"))
        #expect(callback.code == Secret("a/b"))
        #expect(callback.state == "xyz")
        #expect(callback.iss == "https://login.example.com")
        #expect(callback.error == nil)
    }

    @Test func readsAnError() throws {
        let callback = try #require(
            CallbackParameters(query: "error=access_denied&error_description=The+user+said+no&state=xyz&code="))
        #expect(callback.error == "access_denied")
        #expect(callback.errorDescription == "The user said no")
        #expect(callback.code == nil)
    }

    @Test(arguments: [
        "code=a&code=b&state=x", "state=x&state=x", "foo=1&foo=2&code=a", "code=%zz", "code=%ff",
        "code=" + String(repeating: "a", count: 20_000),
    ])
    func refuses(query: String) {
        #expect(CallbackParameters(query: query) == nil)
    }
}
