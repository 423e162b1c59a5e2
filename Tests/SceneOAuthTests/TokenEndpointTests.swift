import SceneModel
import Testing

@testable import SceneOAuth

@Suite struct TokenEndpointTests {
    private static let requested = Moment(boot: Instant(nanoseconds: 5), wall: 784_111_777)

    private func read(
        _ status: Int, _ body: String, _ headers: [String: String] = [:], hiding secrets: [Secret] = []
    ) throws(OAuthFailure) -> Tokens {
        try TokenEndpoint.read(
            HTTPResponse(status: status, headers: headers, body: Array(body.utf8)), hiding: secrets,
            requested: Self.requested, wallNow: Self.requested.wall)
    }

    @Test func readsTokens() throws {
        let tokens = try read(
            200,
            """
            {"access_token":"at","token_type":"bearer","refresh_token":"rt","id_token":"a.b.c","scope":"openid",
            "expires_in":3600,"instance_url":"https://na1.example.com","extra":{"x":[1]}}
            """)
        #expect(tokens.accessToken == Secret("at"))
        #expect(tokens.tokenType == "Bearer")
        #expect(tokens.refreshToken == Secret("rt"))
        #expect(tokens.idToken == Secret("a.b.c"))
        #expect(tokens.scope == "openid")
        #expect(tokens.expiresIn == 3600)
        #expect(tokens.instanceUrl == "https://na1.example.com")
        #expect(tokens.requested == Self.requested)
    }

    @Test(
        arguments: [
            ("", nil), (",\"expires_in\":\"60\"", 60), (",\"expires_in\":59.9", 59), (",\"expires_in\":-1", 0),
            (",\"expires_in\":1e300", Int(Int32.max)), (",\"expires_in\":null", nil), (",\"expires_in\":[]", nil),
        ] as [(String, Int?)])
    func expiry(member: String, seconds: Int?) throws {
        #expect(try read(200, "{\"access_token\":\"a\",\"token_type\":\"DPoP\"\(member)}").expiresIn == seconds)
    }

    @Test func aByteOrderMarkIsSkipped() throws {
        #expect(try read(200, "\u{feff}{\"access_token\":\"a\",\"token_type\":\"bEARER\"}").tokenType == "Bearer")
    }

    @Test func emptyMembersAreAbsent() throws {
        let tokens = try read(
            200, #"{"access_token":"a","token_type":"BEARER","refresh_token":"","id_token":null,"scope":""}"#)
        #expect(tokens.refreshToken == nil && tokens.idToken == nil && tokens.scope == nil)
    }

    @Test(arguments: [
        #"{}"#, #"{"access_token":"a"}"#, #"{"access_token":"a","token_type":"mac"}"#,
        #"{"access_token":"a","token_type":"N_A"}"#, #"{"access_token":"a","token_type":["bearer"]}"#,
        #"{"access_token":"a","access_token":"b","token_type":"bearer"}"#,
        #"{"access_token":"a","token_type":"bearer","scope":"x","scope":"y"}"#,
        #"{"access_token":"a","token_type":"bearer","x":"# + String(repeating: "[", count: 40)
            + String(repeating: "]", count: 40) + "}",
        #"{"access_token":"a","token_type":"bearer"} {}"#, #"{"access_token":"a",'token_type':"bearer"}"#,
        #"{"access_token":"\#(String(repeating: "a", count: 70_000))","token_type":"bearer"}"#,
        #"{"access_token":"a","token_type":"bearer","id_token":"\#(String(repeating: "a", count: 70_000))"}"#,
        #"{"access_token":"","token_type":"bearer"}"#, #"{"access_token":1,"token_type":"bearer"}"#,
        #"{"access_token":"a b","token_type":"bearer"}"#, #"{"access_token":"a\r\nb","token_type":"bearer"}"#,
        #"{"access_token":"a","token_type":"bearer","refresh_token":"é"}"#,
    ])
    func unusableTokensAreInvalid(body: String) {
        #expect(throws: OAuthFailure.self) { try read(200, body) }
        if case .invalid(let code, _) = failure(200, body)?.cause {
            #expect(code == "invalid_token_response")
        } else {
            Issue.record("not invalid")
        }
    }

    /// What can be read of the tokens, for the host to forget them or for the next refresh.
    @Test(
        arguments: [
            (#""access_token":"a""#, "a", nil), (#""access_token":"a","refresh_token":"r""#, "a", "r"),
            (#""access_token":7,"refresh_token":"r""#, nil, "r"),
            (#""access_token":"a","token_type":"bearer","refresh_token":"é""#, "a", nil),
        ] as [(String, String?, String?)])
    func unusableTokensAreKeptInSight(members: String, access: String?, refresh: String?) {
        guard case .unusable(let tokens, .invalid) = failure(200, "{\(members)}") else {
            Issue.record("not unusable")
            return
        }
        #expect(tokens.accessToken == access.map { Secret($0) } && tokens.refreshToken == refresh.map { Secret($0) })
    }

    private func failure(_ status: Int, _ body: String, _ headers: [String: String] = [:]) -> OAuthFailure? {
        do throws(OAuthFailure) { _ = try read(status, body, headers) } catch { return error }
        return nil
    }

    @Test(
        arguments: [
            (400, #"{"error":"invalid_grant","error_description":"gone"}"#, "invalid_grant", "gone"),
            (400, "", "invalid_grant", nil), (403, #"{"error":"invalid_code"}"#, "invalid_code", nil),
            (401, #"{"error":"invalid_client"}"#, "invalid_client", nil),
            (200, #"{"error":"bad_verification_code"}"#, "bad_verification_code", nil),
            (400, #"{"error":"inv\u001b[1malid"}"#, "inv1malid", nil),
        ] as [(Int, String, String, String?)])
    func theHostsOwnNo(status: Int, body: String, code: String, description: String?) {
        #expect(failure(status, body) == .refused(code: code, description: description))
    }

    @Test(arguments: [
        (302, ""), (307, ""), (400, "<html>bad request</html>"), (400, #"{"error":{"code":400}}"#),
        (400, #"{"error":""}"#), (400, #"{"message":"no"}"#), (401, ""), (403, "<html>blocked</html>"), (404, ""),
        (404, #"{"error":"invalid_grant"}"#), (405, ""), (408, ""), (410, ""), (429, #"{"error":"invalid_grant"}"#),
        (503, ""),
        (400, #"{"error":"temporarily_unavailable"}"#), (400, #"{"error":"server_error"}"#),
        (400, #"{"error":"slow_down"}"#),
    ])
    func allElseLosesNothing(status: Int, body: String) {
        guard case .unavailable(let seconds, _) = failure(status, body) else {
            Issue.record("\(status) \(body) is not unavailable")
            return
        }
        #expect(seconds == nil)
    }

    /// The host may have granted what the answer does not bring.
    @Test(arguments: [
        (200, "<html>Sign in to the WLAN</html>"), (200, ""), (200, #"{"access_token":"a"#), (200, "[]"),
        (200, #"{"access_token":"a","token_type":"bearer","x":{}"#), (200, #"{"access_token":"a","x":tr"#),
        (200, #"{"access_token":"a","expires_in":3"#), (200, "\u{feff}"), (200, "access_token=a&token_type=bearer"),
        (500, #"{"error":"invalid_grant"}"#), (502, "<html>"), (504, ""),
    ])
    func theAnswerIsLost(status: Int, body: String) {
        guard case .lost(let seconds, _) = failure(status, body, ["retry-after": "7"]) else {
            Issue.record("\(status) \(body) is not lost")
            return
        }
        #expect(seconds == (status == 200 ? nil : 7))
    }

    @Test(arguments: [
        (429, "", "17", 17), (503, "", "Sun, 06 Nov 1994 08:50:00 GMT", 23),
        (400, #"{"error":"slow_down"}"#, "5", 5),
    ])
    func retryAfterIsPassedOn(status: Int, body: String, header: String, seconds: Int) {
        guard case .unavailable(let wait, _) = failure(status, body, ["retry-after": header]) else {
            Issue.record("not unavailable")
            return
        }
        #expect(wait == seconds)
    }

    @Test func whatWeSentIsNotInTheDescription() {
        do throws(OAuthFailure) {
            _ = try read(
                400, #"{"error":"invalid_grant","error_description":"unknown token rt-1!"}"#, hiding: [Secret("rt-1")])
        } catch {
            #expect(error == .refused(code: "invalid_grant", description: "unknown token [removed]!"))
        }
    }
}
