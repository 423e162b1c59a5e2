import Dispatch
import Foundation
import LinuxIO
import SceneModel

@testable import SceneLogin

/// Login pages on a loop that runs on a thread of its own; the test is the browser, and may block.
final class LoginFixture: Sendable {
    struct Callback {
        var login: Int
        var query: String
        var respond: (LoginOutcome) -> Void
    }

    /// What belongs to the loop's thread. The fixture itself does not: its end waits for that thread.
    private final class Confined: @unchecked Sendable {
        var pages: LoginPages?
        var callbacks: [Callback] = []
        var contents: [Int: LoginScreenContent] = [:]
        var actions: [ScreenAction] = []
        /// What comes of them.
        var result = ScreenActionResult.screen
    }

    private let loop: EventLoop
    private let confined = Confined()
    private let arrived = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    init() throws {
        loop = try EventLoop()
        let pages = LoginPages(loop: loop)
        pages.onCallback = { [confined, arrived] login, query, respond in
            confined.callbacks.append(Callback(login: login, query: query, respond: respond))
            arrived.signal()
        }
        pages.content = { [confined] in confined.contents[$0] }
        pages.onAction = { [confined] _, action, respond in
            confined.actions.append(action)
            respond(confined.result)
        }
        confined.pages = pages
        Thread.detachNewThread { [loop, ended] in
            loop.run()
            ended.signal()
        }
    }

    deinit {
        dropPages()
        loop.stop()
        ended.wait()
    }

    /// Does `body` on the loop's thread and waits for it.
    func onLoop<Result>(_ body: @escaping (LoginPages) throws -> Result) throws -> Result {
        try onLoop { pages, _ in try body(pages) }
    }

    private func onLoop<Result>(_ body: @escaping (LoginPages, Confined) throws -> Result) throws -> Result {
        let work = Work(body)
        let done = DispatchSemaphore(value: 0)
        loop.enqueue { [confined] in
            if let pages = confined.pages { work.perform(pages, confined) }
            done.signal()
        }
        done.wait()
        return try work.result()
    }

    /// Holds the loop's thread for the time of `body`.
    func whileLoopStands(_ body: () throws -> Void) rethrows {
        let stands = DispatchSemaphore(value: 0)
        let goes = DispatchSemaphore(value: 0)
        loop.enqueue {
            stands.signal()
            goes.wait()
        }
        stands.wait()
        defer { goes.signal() }
        try body()
    }

    func dropPages() {
        let done = DispatchSemaphore(value: 0)
        loop.enqueue { [confined] in
            confined.pages = nil
            confined.callbacks = []
            done.signal()
        }
        done.wait()
    }

    func waitForCallback() -> Bool {
        arrived.wait(timeout: .now() + 20) == .success
    }

    func takeCallbacks() throws -> [Callback] {
        try onLoop { _, confined in
            defer { confined.callbacks = [] }
            return confined.callbacks
        }
    }

    func open(
        login: Int = 1, uid: UInt32 = geteuid(), redirectURI: String = "http://127.0.0.1/callback",
        content: LoginScreenContent = .test()
    ) throws -> OpenedLogin {
        try onLoop { pages, confined in
            confined.contents[login] = content
            return try pages.open(login: login, uid: uid, redirectURI: redirectURI)
        }
    }

    /// What users did on the screens since this was asked last.
    func takeActions() throws -> [ScreenAction] {
        try onLoop { _, confined in
            defer { confined.actions = [] }
            return confined.actions
        }
    }

    func actionsEnd(with result: ScreenActionResult) throws {
        try onLoop { _, confined in confined.result = result }
    }

    func ready(login: Int = 1, state: String = "the-state", uri: String = "https://login.example.com/authorize?a=b&c=d")
        throws
    {
        try onLoop { $0.ready(login: login, state: state, authorizationUri: uri) }
    }

    /// Answers the callback that came last.
    func respond(_ outcome: LoginOutcome, thenClose login: Int? = nil) throws {
        try onLoop { pages, confined in
            confined.callbacks.popLast()?.respond(outcome)
            if let login { pages.close(login: login) }
        }
    }

    private final class Work<Result>: @unchecked Sendable {
        private let body: (LoginPages, Confined) throws -> Result
        private var outcome: Swift.Result<Result, any Error>?

        init(_ body: @escaping (LoginPages, Confined) throws -> Result) { self.body = body }

        func perform(_ pages: LoginPages, _ confined: Confined) {
            outcome = Swift.Result { try body(pages, confined) }
        }

        func result() throws -> Result {
            guard let outcome else { throw CancellationError() }
            return try outcome.get()
        }
    }
}

extension LoginScreenContent {
    static let production = "https://login.example.com"

    static func test(
        title: String = "Log In", hosts: [LoginHost] = [LoginHost(url: production, label: "Production")],
        appearance: Appearance = Appearance()
    ) -> LoginScreenContent {
        var screen = LoginScreen()
        screen.title = title
        screen.loginHosts = hosts
        screen.canAddLoginHost = true
        screen.showsBackButton = true
        return LoginScreenContent(
            screen: screen, appearance: appearance, appName: "Notes", host: hosts.first?.url ?? "")
    }
}

extension OpenedLogin {
    var port: UInt16 { UInt16(URLComponents(string: loginScreen)?.port ?? 0) }
    var screenPath: String { URLComponents(string: loginScreen)?.path ?? "" }
    var authority: String { "127.0.0.1:\(port)" }
}
