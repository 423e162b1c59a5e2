import SceneLogin
import SceneModel
import SceneOAuth
import Testing

@testable import SceneDaemon

struct LoginFaultsTests {
    @Test(
        arguments: [
            (.loginFailed(code: "access_denied", description: nil), LoginFault(.denied)),
            (.loginFailed(code: "invalid_grant", description: nil), LoginFault(.expired)),
            (.loginFailed(code: "expired_token", description: "Too late."), LoginFault(.expired, .hosts("Too late."))),
            (.loginFailed(code: "server_error", description: nil), LoginFault(.hostTroubled, .hosts("server_error"))),
            (.loginFailed(code: "invalid_client", description: "No."), LoginFault(.appRefused, .hosts("No."))),
            (.loginFailed(code: "odd", description: nil), LoginFault(.refused, .hosts("odd"))),
            (.loginFailed(code: "issuer_mismatch", description: "x"), LoginFault(.notInOrder, .ours("x"))),
            (.loginFailed(code: "clientCredentialUnusable", description: "x"), LoginFault(.appCredential, .ours("x"))),
            (.loginFailed(code: "redirectPortTaken", description: "x"), LoginFault(.machine, .ours("x"))),
            (.loginFailed(code: "otherAccount", description: nil), LoginFault(.otherUser)),
            (.loginFailed(code: "signedOut", description: nil), LoginFault(.signedOut)),
            (.loginHostUnavailable(retryAfterSeconds: 3), LoginFault(.unreachable)),
            (.storageUnavailable(reason: "full"), LoginFault(.storage)),
            (.loginTimedOut, LoginFault(.timedOut)),
            (.unknownApp("notes"), LoginFault(.other)),
        ] as [(Failure, LoginFault)])
    func ofALogin(failure: Failure, fault: LoginFault) {
        #expect(failure.fault == fault)
    }

    @Test(
        arguments: [
            (.unavailable(retryAfterSeconds: nil, reason: "x"), LoginFault(.unreachable, .ours("x"))),
            (.lost(retryAfterSeconds: nil, reason: "x"), LoginFault(.unreachable, .ours("x"))),
            (.invalid(code: "issuer_mismatch", reason: "x"), LoginFault(.notAHost, .ours("x"))),
            (.unusableCredential("x"), LoginFault(.appCredential, .ours("x"))),
            (.refused(code: "odd", description: "Why."), LoginFault(.notAHost, .hosts("odd: Why."))),
        ] as [(OAuthFailure, LoginFault)])
    func ofALoginHost(failure: OAuthFailure, fault: LoginFault) {
        #expect(failure.faultOfHost == fault)
    }
}
