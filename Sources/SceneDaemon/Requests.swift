import LinuxIO
import SceneModel
import SceneProtocol
import SceneSystem
import SessionCore
import Varlink

/// A call on its way through the daemon.
struct Request {
    let call: VarlinkCall
    let id: CallID
    let served: ServedConnection

    var peer: Peer { served.peer }

    func caller(_ scene: String?) -> Caller {
        Caller(call: id, scene: scene, pid: peer.pid, streams: call.more)
    }
}

extension Daemon {
    typealias Method = @Sendable (isolated Daemon, Request) throws(WireError) -> Void

    /// A method that was called. Calls come in bursts of the same, so the last one is kept.
    struct Called {
        let name: String
        let isManager: Bool
        /// Nil where there is no such method.
        let method: Method?
    }

    func called(_ call: VarlinkCall) -> Called {
        if let lastCalled, call.isOf(method: lastCalled.name) { return lastCalled }
        let name = call.method
        let called = Called(
            name: name, isManager: name.hasPrefix(ManagerInterface.name), method: Self.methods[name])
        if called.method != nil { lastCalled = called }
        return called
    }

    /// Every method by its full name.
    static let methods: [String: Method] = Dictionary(
        sessionMethods + authorizationMethods + loginHostMethods + managerMethods + serviceMethods,
        uniquingKeysWith: { first, _ in first })

    static func serve<Served: WireMethod>(
        _: Served.Type, _ body: @escaping @Sendable (isolated Daemon, Request, Served.Parameters) -> Void
    ) -> (String, Method) {
        (
            Served.name,
            { daemon, request throws(WireError) in
                body(daemon, request, try Served.Parameters(parameters: request.call.parameters))
            }
        )
    }

    /// A method of org.scened.Session: its caller's session of the app, where both may have one.
    static func serveSession<Served: WireMethod>(
        _ method: Served.Type, app: @escaping @Sendable (Served.Parameters) -> String,
        _ body: @escaping @Sendable (isolated Daemon, Request, Served.Parameters, LiveSession) -> Void
    ) -> (String, Method) {
        serve(method) { daemon, request, parameters in
            switch daemon.session(of: app(parameters), for: request) {
            case .success(let live):
                request.served.call?.session = live
                body(daemon, request, parameters, live)
            case .failure(let failure):
                daemon.fail(request.id, failure)
            }
        }
    }

    private func session(of app: String, for request: Request) -> Result<LiveSession, Failure> {
        if let live = request.served.admitted, live.key.app == app { return .success(live) }
        guard let configured = configuration.apps[app] else { return .failure(.unknownApp(app)) }
        if let refusal = refusal(request.served, configured) { return .failure(refusal) }
        if let storeFailure { return .failure(.storageUnavailable(reason: storeFailure)) }
        let live = session(SessionKey(uid: request.peer.uid, app: app), configured)
        request.served.admitted = live
        return .success(live)
    }

    func session(_ key: SessionKey, _ configured: AppConfiguration) -> LiveSession {
        if let live = sessions[key] { return live }
        let live = LiveSession(Session(key: key, policy: configured.policy, epoch: Self.newIdentifier()))
        sessions[key] = live
        tellScreen(live)
        return live
    }

    private func refusal(_ served: ServedConnection, _ app: AppConfiguration) -> Failure? {
        guard let reason = Admission(options: options, app: app).refusal(of: served.peer) else { return nil }
        Journal.write(
            JournalEntry(
                priority: .warning, message: "Refused pid \(served.peer.pid) of uid \(served.peer.uid): \(reason).",
                messageID: MessageID.accessDenied,
                fields: [
                    ("SCENED_APP", app.name), ("SCENED_UID", "\(served.peer.uid)"),
                    ("SCENED_PEER_PID", "\(served.peer.pid)"),
                ]))
        return .accessDenied(reason: reason)
    }
}

extension Daemon {
    static let serviceMethods: [(String, Method)] = [
        serve(VarlinkService.GetInfo.self) { daemon, request, _ in
            daemon.answer(
                request.id,
                VarlinkService.GetInfo.Reply(
                    vendor: "scened", product: "scened", version: DaemonOptions.version, url: "",
                    interfaces: [VarlinkService.name, SessionInterface.name, ManagerInterface.name]))
        },
        serve(VarlinkService.GetInterfaceDescription.self) { daemon, request, parameters in
            let texts = [
                VarlinkService.name: VarlinkService.interfaceText, SessionInterface.name: SessionInterface.text,
                ManagerInterface.name: ManagerInterface.text,
            ]
            if let text = texts[parameters.interface] {
                daemon.answer(request.id, VarlinkService.GetInterfaceDescription.Reply(description: text))
            } else {
                daemon.answer(request.id, VarlinkMessage.interfaceNotFound(parameters.interface))
            }
        },
    ]
}
