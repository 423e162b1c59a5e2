import Foundation
import SceneProtocol
import Synchronization
import Testing
import Varlink

/// Listens as scened does and answers each method by a script; records what it was asked.
final class FakeDaemon: Sendable {
    enum Step: Sendable {
        case send([UInt8])
        /// Hold the answer back until another connection has called this method so many times.
        case awaitCall(String, times: Int = 1)
        /// Close without a further word.
        case close
        /// Say nothing more.
        case hang
    }

    struct Call: Sendable {
        var method: String
        var parameters: String
        var more: Bool
    }

    private struct State {
        var calls: [Call] = []
        var closed = 0
        var script: [String: [[Step]]]
    }

    let path: String
    private let listener: Int32
    private let state: Mutex<State>
    private let changed = NSCondition()

    /// Each method's scripts, used in order, the last one again and again.
    init(_ script: [String: [[Step]]]) throws {
        state = Mutex(State(script: script))
        let directory = NSTemporaryDirectory() + "ctl-" + UUID().uuidString.prefix(13)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        path = directory + "/session"
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | 0o2000000), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = path
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0 && listen(listener, 16) == 0)
        Thread.detachNewThread { [self] in accept() }
    }

    /// One script for each method.
    convenience init(_ script: [String: [Step]]) throws {
        try self.init(script.mapValues { [$0] })
    }

    deinit {
        try? FileManager.default.removeItem(atPath: (path as NSString).deletingLastPathComponent)
    }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    func calls(of method: String) -> [Call] { state.withLock { $0.calls.filter { $0.method == method } } }

    func waitForCall(of method: String, times: Int = 1) { wait { $0.calls.count { $0.method == method } >= times } }

    /// Until a client has closed this many connections.
    func waitForClose(times: Int = 1) { wait { $0.closed >= times } }

    private func wait(until holds: (State) -> Bool) {
        changed.lock()
        defer { changed.unlock() }
        while !state.withLock({ holds($0) }), changed.wait(until: Date() + 20) {}
    }

    private func change(_ body: (inout State) -> Void) {
        changed.lock()
        defer { changed.unlock() }
        state.withLock { body(&$0) }
        changed.broadcast()
    }

    private func accept() {
        while true {
            let connection = Glibc.accept(listener, nil, nil)
            guard connection >= 0 else { break }
            Thread.detachNewThread { [self] in serve(connection) }
        }
        close(listener)
    }

    private func serve(_ connection: Int32) {
        var server = ServerConnection()
        var chunk = [UInt8](repeating: 0, count: 65536)
        defer {
            // Also ends it for copies that a child of a test may have inherited.
            shutdown(connection, Int32(SHUT_RDWR))
            close(connection)
            change { $0.closed += 1 }
        }
        while true {
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { return }
            chunk.withUnsafeBytes { server.received(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            while case .call(let call) = server.next() {
                change {
                    $0.calls.append(
                        Call(method: call.method, parameters: call.parameters?.text ?? "{}", more: call.more))
                }
                guard perform(script(for: call.method), on: connection) else { return }
                server.callEnded()
            }
        }
    }

    private func script(for method: String) -> [Step] {
        state.withLock { state in
            guard let scripts = state.script[method], let first = scripts.first else { return [.close] }
            if scripts.count > 1 { state.script[method]?.removeFirst() }
            return first
        }
    }

    private func perform(_ steps: [Step], on connection: Int32) -> Bool {
        for step in steps {
            switch step {
            case .send(let bytes):
                _ = bytes.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            case .awaitCall(let method, let times): waitForCall(of: method, times: times)
            case .close: return false
            case .hang: break
            }
        }
        return true
    }
}

extension FakeDaemon.Step {
    static func reply(_ parameters: some WireRecord, continues: Bool = false) -> Self {
        .send(VarlinkMessage.reply(parameters, continues: continues))
    }

    /// A frame from its JSON text.
    static func text(_ json: String) -> Self { .send(Array(json.utf8) + [0]) }
}
