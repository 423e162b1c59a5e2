import SceneModel
import Varlink

@testable import SceneProtocol

extension Pinned {
    static let sessionCalls: [Pinned] = [
        .call(ConnectScene.self, .init(app: "notes"), more: true, #"{"app":"notes"}"#),
        .call(
            ConnectScene.self, .init(app: "notes", scene: "s1", title: "Window", after: Sample.cursor), more: true,
            #"{"app":"notes","scene":"s1","title":"Window","after":{"epoch":"e1","sequence":7}}"#),
        .call(
            UpdateScene.self, .init(app: "notes", scene: "s1", activation: .foreground, title: "T"),
            #"{"app":"notes","scene":"s1","activation":"foreground","title":"T"}"#),
        .call(
            LoginIfRequired.self, .init(app: "notes", scene: "s1", options: options), more: true,
            #"{"app":"notes","scene":"s1","options":{"presentation":"device","loginHost":"https://h","#
                + #""loginHint":"bo","force":true,"timeoutSeconds":30,"local":true}}"#),
        .call(Login.self, .init(app: "notes", options: LoginOptions()), #"{"app":"notes","options":{}}"#),
        .call(HandleLogout.self, .init(app: "notes"), #"{"app":"notes"}"#),
        .call(CancelLogin.self, .init(app: "notes", scene: "s1"), #"{"app":"notes","scene":"s1"}"#),
        .call(ListAccounts.self, .init(app: "notes"), #"{"app":"notes"}"#),
        .call(
            SwitchAccount.self, .init(app: "notes", scene: "s1", account: "a1"),
            #"{"app":"notes","scene":"s1","account":"a1"}"#),
        .call(
            Logout.self, .init(app: "notes", scene: "s1", account: "a1", reason: "user"),
            #"{"app":"notes","scene":"s1","account":"a1","reason":"user"}"#),
        .call(LogoutAll.self, .init(app: "notes", reason: "user"), #"{"app":"notes","reason":"user"}"#),
        .call(GetAccessToken.self, .init(app: "notes"), #"{"app":"notes"}"#),
        .call(
            GetAccessToken.self,
            .init(
                app: "notes", account: "a1", minimumValiditySeconds: 0, rejected: Secret("old\"€"), scope: "s",
                audience: "x"),
            #"{"app":"notes","account":"a1","minimumValiditySeconds":0,"rejected":"old\"€","scope":"s","audience":"x"}"#
        ),
        .call(HandleResponse.self, .init(url: "notes://x?code=1"), #"{"url":"notes://x?code=1"}"#),
        .call(ListAuthorizations.self, .init(app: "notes"), #"{"app":"notes"}"#),
        .call(
            AuthorizeApp.self, .init(app: "notes", scene: "s1", request: "r1", decision: .approve, account: "a1"),
            #"{"app":"notes","scene":"s1","request":"r1","decision":"approve","account":"a1"}"#),
        .call(
            AuthorizeApp.self,
            .init(app: "notes", scene: "s1", request: "r1", decision: .deny, code: "c", description: "d"),
            #"{"app":"notes","scene":"s1","request":"r1","decision":"deny","code":"c","description":"d"}"#),
        .call(GetLoginScreen.self, .init(app: "notes"), #"{"app":"notes"}"#),
        .call(
            AddLoginHost.self, .init(app: "notes", scene: "s1", url: "https://h", label: "Host"),
            #"{"app":"notes","scene":"s1","url":"https://h","label":"Host"}"#),
        .call(RemoveLoginHost.self, .init(app: "notes", url: "https://h"), #"{"app":"notes","url":"https://h"}"#),
        .call(SelectLoginHost.self, .init(app: "notes", url: "https://h"), #"{"app":"notes","url":"https://h"}"#),
        .call(GetIdentity.self, .init(app: "notes", account: "a1"), #"{"app":"notes","account":"a1"}"#),
        .call(Lock.self, .init(app: "notes"), #"{"app":"notes"}"#),
        .call(Unlock.self, .init(app: "notes"), #"{"app":"notes"}"#),
    ]

    private static let options = Sample.made(LoginOptions()) {
        $0.presentation = .device
        $0.loginHost = "https://h"
        $0.loginHint = "bo"
        $0.force = true
        $0.timeoutSeconds = 30
        $0.local = true
    }

    static let sessionReplies: [Pinned] = [
        .reply(UpdateScene.self, Empty(), "{}"),
        .reply(
            LoginIfRequired.self, .init(progress: presenting), continues: true,
            #"{"progress":{"state":"presenting","presenter":"s1","loginScreen":"http://127.0.0.1:1/x","#
                + #""authorizationUri":"https://h/a"}}"#),
        .reply(
            Login.self, .init(progress: device), continues: true,
            #"{"progress":{"state":"presenting","userCode":"AB-CD","verificationUri":"https://v","#
                + #""verificationUriComplete":"https://v/c","expiresInSeconds":600}}"#),
        .reply(
            Login.self, .init(progress: signedIn),
            #"{"progress":{"state":"signedIn","account":\#(Sample.fullJSON),"at":\#(Sample.cursorJSON)}}"#),
        .reply(
            HandleLogout.self, .init(progress: selecting), continues: true,
            #"{"progress":{"state":"selecting","accounts":[\#(Sample.bareJSON),\#(Sample.fullJSON)]}}"#),
        .reply(CancelLogin.self, Empty(), "{}"),
        .reply(
            ListAccounts.self, .init(accounts: [Sample.bare], current: Sample.bare, at: Sample.cursor),
            #"{"accounts":[\#(Sample.bareJSON)],"current":\#(Sample.bareJSON),"at":\#(Sample.cursorJSON)}"#),
        .reply(
            ListAccounts.self, .init(accounts: [], at: Sample.cursor), #"{"accounts":[],"at":\#(Sample.cursorJSON)}"#),
        .reply(
            SwitchAccount.self, .init(account: Sample.bare, at: Sample.cursor),
            #"{"account":\#(Sample.bareJSON),"at":\#(Sample.cursorJSON)}"#),
        .reply(
            Logout.self,
            .init(
                result: LogoutResult(account: Sample.bare, remote: .revoked, endSessionUri: "https://e"),
                at: Sample.cursor),
            #"{"result":{"account":\#(Sample.bareJSON),"remote":"revoked","endSessionUri":"https://e"},"#
                + #""at":\#(Sample.cursorJSON)}"#),
        .reply(
            LogoutAll.self,
            .init(results: [LogoutResult(account: Sample.bare, remote: .unsupported)], at: Sample.cursor),
            #"{"results":[{"account":\#(Sample.bareJSON),"remote":"unsupported"}],"at":\#(Sample.cursorJSON)}"#),
        .reply(
            GetAccessToken.self,
            .init(
                token: AccessToken(
                    value: Secret("t0k"), type: "Bearer", account: Sample.bare, expiresInSeconds: 59, scope: "s",
                    instanceUrl: "https://x")),
            #"{"token":{"value":"t0k","type":"Bearer","account":\#(Sample.bareJSON),"expiresInSeconds":59,"#
                + #""scope":"s","instanceUrl":"https://x"}}"#),
        .reply(HandleResponse.self, .init(handled: true), #"{"handled":true}"#),
        .reply(
            HandleResponse.self, .init(handled: true, open: "com.example.mail:/idp/error?x"),
            #"{"handled":true,"open":"com.example.mail:/idp/error?x"}"#),
        .reply(
            LoginIfRequired.self, .init(progress: asking), continues: true,
            #"{"progress":{"state":"waiting","identityProvider":"notes"}}"#),
        .reply(
            LoginIfRequired.self, .init(progress: local), continues: true,
            #"{"progress":{"state":"presenting","reason":"noIdentityProviderScene"}}"#),
        .reply(
            ListAuthorizations.self, .init(requests: [authorization]),
            #"{"requests":[{"request":"r1","requestingApp":"mail","loginHosts":["https://h"],"loginHint":"ann","#
                + #""presenter":"s1","expiresInSeconds":300}]}"#),
        .reply(
            AuthorizeApp.self, .init(loginScreen: "http://127.0.0.1:1/x", authorizationUri: "https://h/a"),
            #"{"loginScreen":"http://127.0.0.1:1/x","authorizationUri":"https://h/a"}"#),
        .reply(AuthorizeApp.self, .init(loginScreen: nil, authorizationUri: nil), "{}"),
        .reply(
            AuthorizeApp.self, .init(message: "com.example.mail:/idp/error?x"),
            #"{"message":"com.example.mail:/idp/error?x"}"#),
        .reply(
            GetLoginScreen.self, .init(screen: screen),
            #"{"screen":{"title":"Hello","showsNavigationBar":true,"showsSettingsIcon":true,"showsBackButton":true,"#
                + #""backButtonAction":"identityProvider","navigationBarColor":"blue","navigationBarTextColor":"white","navigationBarFont":"Helvetica 16","#
                + #""logo":"/l.png","styleSheet":"/s.css","settingsIcon":"/i.png","loginHosts":[\#(Sample.hostJSON)],"#
                + #""canAddLoginHost":true}}"#),
        .reply(AddLoginHost.self, .init(loginHost: Sample.host), #"{"loginHost":\#(Sample.hostJSON)}"#),
        .reply(RemoveLoginHost.self, Empty(), "{}"),
        .reply(SelectLoginHost.self, Empty(), "{}"),
        .reply(
            GetIdentity.self, .init(idToken: Secret("a.b.c"), claims: JSONText(text: #"{"sub": "s", "n": [1.50]}"#)),
            #"{"idToken":"a.b.c","claims":{"sub": "s", "n": [1.50]}}"#),
        .reply(Lock.self, Empty(), "{}"),
        .reply(Unlock.self, Empty(), "{}"),
    ]

    private static let presenting = Sample.made(LoginProgress(.presenting)) {
        $0.presenter = "s1"
        $0.loginScreen = "http://127.0.0.1:1/x"
        $0.authorizationUri = "https://h/a"
    }

    private static let asking = Sample.made(LoginProgress(.waiting)) { $0.identityProvider = "notes" }

    private static let local = Sample.made(LoginProgress(.presenting)) { $0.reason = "noIdentityProviderScene" }

    private static let authorization = AuthorizationRequest(
        request: "r1", requestingApp: "mail", loginHosts: ["https://h"], loginHint: "ann", presenter: "s1",
        expiresInSeconds: 300)

    private static let device = Sample.made(LoginProgress(.presenting)) {
        $0.userCode = "AB-CD"
        $0.verificationUri = "https://v"
        $0.verificationUriComplete = "https://v/c"
        $0.expiresInSeconds = 600
    }

    private static let signedIn = Sample.made(LoginProgress(.signedIn)) {
        $0.account = Sample.full
        $0.at = Sample.cursor
    }

    private static let selecting = Sample.made(LoginProgress(.selecting)) { $0.accounts = [Sample.bare, Sample.full] }

    private static let screen = Sample.made(LoginScreen()) {
        $0.title = "Hello"
        $0.showsBackButton = true
        $0.backButtonAction = "identityProvider"
        $0.navigationBarColor = "blue"
        $0.navigationBarTextColor = "white"
        $0.navigationBarFont = "Helvetica 16"
        $0.logo = "/l.png"
        $0.styleSheet = "/s.css"
        $0.settingsIcon = "/i.png"
        $0.loginHosts = [Sample.host]
        $0.canAddLoginHost = true
    }
}
