import SceneModel
import Testing
import Varlink

@testable import SceneProtocol

struct FailuresTests {
    static let errors: [(Failure, String, String)] = [
        (.unknownApp("x"), "UnknownApp", #"{"app":"x"}"#),
        (.unknownScene("x"), "UnknownScene", #"{"scene":"x"}"#),
        (.unknownAccount("x"), "UnknownAccount", #"{"account":"x"}"#),
        (.unknownLoginHost("x"), "UnknownLoginHost", #"{"url":"x"}"#),
        (.loginHostNotRemovable("x"), "LoginHostNotRemovable", #"{"url":"x"}"#),
        (.invalidLoginHost(url: "x", reason: "r"), "InvalidLoginHost", #"{"url":"x","reason":"r"}"#),
        (.sceneInUse("x"), "SceneInUse", #"{"scene":"x"}"#),
        (.unknownRequest("x"), "UnknownRequest", #"{"request":"x"}"#),
        (.notSignedIn, "NotSignedIn", "{}"),
        (.interactionRequired(reason: "r"), "InteractionRequired", #"{"reason":"r"}"#),
        (.loginCancelled, "LoginCancelled", "{}"),
        (.loginTimedOut, "LoginTimedOut", "{}"),
        (.loginFailed(code: "c", description: "d"), "LoginFailed", #"{"code":"c","description":"d"}"#),
        (.loginFailed(code: "c", description: nil), "LoginFailed", #"{"code":"c"}"#),
        (.loginHostUnavailable(retryAfterSeconds: 5), "LoginHostUnavailable", #"{"retryAfterSeconds":5}"#),
        (.loginHostUnavailable(retryAfterSeconds: nil), "LoginHostUnavailable", "{}"),
        (.storageUnavailable(reason: "r"), "StorageUnavailable", #"{"reason":"r"}"#),
        (.sessionLocked, "SessionLocked", "{}"),
        (.accessDenied(reason: "r"), "AccessDenied", #"{"reason":"r"}"#),
        (.quotaExceeded(resource: "r", limit: 9), "QuotaExceeded", #"{"resource":"r","limit":9}"#),
    ]

    private func text(_ frame: [UInt8]) -> String { String(decoding: frame, as: UTF8.self) }

    @Test(arguments: errors) func looksSoAndIsReadSo(_ failure: Failure, _ name: String, _ json: String) throws {
        let full = "org.scened.Session.\(name)"
        #expect(failure.errorName == full)
        #expect(text(failure.message) == #"{"error":"\#(full)","parameters":\#(json)}"# + "\0")
        #expect(Failure(errorName: full, parameters: try JSONElement.parse(json)) == failure)
    }

    @Test func invalidParameterIsEveryServices() throws {
        let failure = Failure.invalidParameter("options.force")
        #expect(failure.message == VarlinkMessage.invalidParameter("options.force"))
        #expect(failure.managerMessage == failure.message)
        let parameters = try JSONElement.parse(#"{"parameter":"options.force"}"#)
        #expect(Failure(errorName: "org.varlink.service.InvalidParameter", parameters: parameters) == failure)
        #expect(Failure(errorName: "org.scened.Session.InvalidParameter", parameters: parameters) == nil)
    }

    @Test(arguments: [Failure.unknownApp("x"), .accessDenied(reason: "r")])
    func managerHasNamesOfItsOwn(_ failure: Failure) throws {
        let message = try JSONElement.parse(text(failure.managerMessage.dropLast()))
        let name = try #require(message["error"]?.string)
        #expect(name.hasPrefix("org.scened.Manager."))
        #expect(Failure(errorName: name, parameters: message["parameters"]) == failure)
    }

    @Test func aNewerServersErrorsAreReadAsFarAsTheyAreKnown() throws {
        let parameters = try JSONElement.parse(#"{"code":"c","new":1}"#)
        #expect(
            Failure(errorName: "org.scened.Session.LoginFailed", parameters: parameters)
                == .loginFailed(code: "c", description: nil))
        #expect(Failure(errorName: "org.scened.Session.New", parameters: nil) == nil)
        #expect(Failure(errorName: "org.scened.Session.UnknownApp", parameters: nil) == nil)
        #expect(Failure(errorName: "org.scened.Manager.NotSignedIn", parameters: nil) == nil)
    }
}
