import LinuxIO
import SceneLogin
import SceneModel
import SceneOAuth
import SceneProtocol
import SceneStore
import SceneSystem
import SessionCore
import Varlink

/// The service: it takes calls from its peers' connections, has sessions decide, and turns their decisions into effects.
///
/// An actor on the event loop: every handler of the loop runs in its isolation.
actor Daemon {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let options: DaemonOptions
    /// Nil as long as it cannot be opened: nothing is served then but org.scened.Manager.
    var store: Store?
    var storeFailure: String?
    var storeTimer: LoopTimer?
    /// Why the last change could not be stored.
    var commitTrouble: String?
    let pages: LoginPages
    var oauth: LoginHostClient
    var configuration: Configuration
    var sessions: [SessionKey: LiveSession] = [:]
    var connections = ConnectionTable()
    /// Streams of org.scened.Manager.
    var monitors: [CallID: ServedConnection] = [:]
    /// Sessions by the number that their login has on the login pages.
    var loginPages: [Int: LiveSession] = [:]
    /// What users do on login screens, until it is stored.
    var screenCalls: [CallID: (Failure?) -> Void] = [:]
    /// Requests to login hosts that no login owns.
    var requests: [Int: Task<Void, Never>] = [:]
    /// Requests under way that may bring tokens, whether anybody wants them still or they are to be revoked.
    var tokenRequests = 0
    /// What apps elsewhere ask identity providers here, by our number.
    var foreignRequests: [String: ForeignRequest] = [:]
    /// LogoutUser calls by the parts that are still open.
    var userLogouts: [CallID: UserLogout] = [:]
    let quotas: Quotas
    let listeners: [SocketListener]
    /// What is kept over a restart, where a service manager does that.
    let descriptorStore: DescriptorStore?
    let marks: ConnectionMarks?
    var keptPorts: Set<UInt16> = []
    /// Nil where no app locks with the screen.
    var screens: LoginSessions?
    /// Login sessions that were asked to lock, as the service manager keeps them.
    var keptLocks: Set<String> = []
    /// What the process before this one left, until it is taken up.
    private var inheritance: Inheritance
    var lastCalled: Called?
    /// The message that was sent last, while one thing that happened is told to many.
    var toldLast: (progress: LoginProgress, continues: Bool, message: [UInt8])?
    private var nextNumber = 0
    private var isStopping = false
    private var statusTimer: LoopTimer?
    private var lastStatus = ""
    private var networkChanges: NetworkChanges?
    private var networkTimer: LoopTimer?
    let bootID = EventLoop.bootID()
    let started = EventLoop.now

    init(
        loop: EventLoop, options: DaemonOptions, configuration: Configuration, listeners: [SocketListener],
        inheritance: sending Inheritance
    ) throws {
        self.loop = loop
        self.options = options
        self.configuration = configuration
        self.listeners = listeners
        quotas = Quotas(
            isSystem: options.isSystem, settings: configuration.quotas, descriptors: Quotas.raiseDescriptorLimit())
        self.inheritance = inheritance
        descriptorStore = DescriptorStore()
        marks = descriptorStore == nil ? nil : try inheritance.marks ?? ConnectionMarks()
        pages = LoginPages(loop: loop)
        oauth = LoginHostClient(http: HTTPClient(loop: loop, certificateFile: configuration.certificateFile))
    }

    func number() -> Int {
        nextNumber += 1
        return nextNumber
    }

    var world: World {
        World(now: EventLoop.now, bootID: bootID, newIdentifier: Self.newIdentifier, random: { .random(in: 0..<1) })
    }

    /// 128 bits of the kernel's randomness.
    static func newIdentifier() -> String {
        var generator = SystemRandomNumberGenerator()
        let halves = [generator.next(), generator.next()].map { half in
            let text = String(half, radix: 36)
            return String(repeating: "0", count: max(0, 13 - text.count)) + text
        }
        return halves.joined()
    }

    // MARK: Start and end

    /// Takes the stored sessions up and serves whoever connects.
    func start() {
        openStore()
        serveLoginScreens()
        for listener in listeners {
            listener.onConnection = { self.accepted($0) }
            listener.onExhaustion = { error in
                Journal.write(
                    JournalEntry(
                        priority: .warning,
                        message: "A connection was refused: \(error). Raise LimitNOFILE= or close some."))
            }
        }
        takeUp(inheritance)
        keptLocks = inheritance.askedSessions
        if store == nil { awaitStore() } else { takeUpSessions() }
        followScreens()
        networkChanges = NetworkChanges(loop: loop) { self.networkChanged() }
    }

    /// Logins that were kept wait for the store as long as they would for somebody who asks.
    private func awaitStore() {
        loop.schedule(at: started.boot.advanced(bySeconds: Bounds.keptLogin)) {
            if self.store == nil { self.takeUpSessions() }
        }
    }

    /// An address, a route and more change together: what is waited for is tried once for all of them.
    private func networkChanged() {
        guard networkTimer == nil else { return }
        networkTimer = loop.schedule(at: EventLoop.now.boot.advanced(byNanoseconds: 500_000_000)) {
            self.networkTimer = nil
            for live in Array(self.sessions.values) { self.happened(live) { $0.networkChanged(world: $1) } }
        }
    }

    /// Once the store is open: what was kept of the sessions, and then the sessions.
    func takeUpSessions() {
        takeUpLogins(inheritance)
        inheritance = Inheritance()
        for live in Array(sessions.values) {
            happened(live) { $0.restarted(world: $1) }
            tellScreen(live)
        }
        // What happened while nobody was there, or was on its way.
        for live in sessions.values { showMonitors(live) }
        for served in Array(connections) { follow(served) }
    }

    /// What an app that is configured no longer leaves to its sessions.
    static func vanished(_ app: String) -> AppPolicy {
        AppPolicy(app: app, afterLogout: .none, loginHosts: [], canChangeLoginHost: false)
    }

    /// Stops when tokens that are on their way are stored, or after 5 seconds: a refresh cut short may cost a sign-in, and
    /// what comes for somebody who has been signed out is still to be revoked.
    func stopWhenQuiet() {
        guard !isStopping else { return loop.stop() }
        isStopping = true
        ServiceManager.stopping()
        for listener in listeners { listener.close() }
        loop.schedule(at: EventLoop.now.boot.advanced(bySeconds: 5)) { self.loop.stop() }
        stopIfQuiet()
    }

    func stopIfQuiet() {
        if isStopping, tokenRequests == 0, !sessions.values.contains(where: \.session.isBusy) { loop.stop() }
    }

    /// Commits what was begun; what is not acknowledged by then will not be.
    func stop() {
        store?.close()
    }

    /// Reads the configuration again. Connections, waits and logins stay; a login whose app has vanished ends.
    func reload() {
        if store == nil, openStore() { takeUpSessions() }
        let former = configuration
        configuration = Configuration.read(
            from: options.configurationDirectories, previous: former, credentials: options.credentials,
            dataDirectories: options.dataDirectories)
        for problem in configuration.problems { Journal.write(problem.entry) }
        if configuration.certificateFile != former.certificateFile {
            oauth = LoginHostClient(http: HTTPClient(loop: loop, certificateFile: configuration.certificateFile))
        }
        for live in Array(sessions.values) {
            if let app = configuration.apps[live.key.app] {
                happened(live) { $0.policyChanged(app.policy, world: $1) }
                // What was amiss may be mended, such as a secret that could not be read.
                happened(live) { $0.networkChanged(world: $1) }
            } else {
                happened(live) { $0.policyChanged(Self.vanished(live.key.app), world: $1) }
                happened(live) { $0.appVanished(world: $1) }
            }
        }
        followScreens()
        for connection in connections { connection.admitted = nil }
        quotas.apply(configuration.quotas)
        Journal.write(
            JournalEntry(
                message: "Configuration read: \(configuration.apps.count) apps.", messageID: MessageID.reloaded))
    }

    // MARK: What the service manager shows

    var status: String {
        let logins = sessions.values.count { $0.login != nil }
        let accounts = sessions.values.reduce(0) { $0 + $1.session.accounts.count }
        let scenes = sessions.values.reduce(0) { $0 + $1.session.scenes.count }
        let queued = sessions.values.reduce(0) { $0 + $1.session.revocations.count }
        var text = "\(scenes) scenes, \(accounts) accounts, \(logins) logins under way"
        if queued > 0 { text += ", \(queued) revocations queued" }
        if configuration.apps.isEmpty { text += "; no app is configured" }
        if let storeFailure { text = "State cannot be used: \(storeFailure)" }
        return text
    }

    /// Tells the service manager, soon and not too often.
    func statusChanged() {
        guard statusTimer == nil else { return }
        statusTimer = loop.schedule(at: EventLoop.now.boot.advanced(byNanoseconds: 200_000_000)) { self.tellStatus() }
    }

    private func tellStatus() {
        statusTimer = nil
        let text = status
        if text != lastStatus { ServiceManager.status(text) }
        lastStatus = text
    }
}
