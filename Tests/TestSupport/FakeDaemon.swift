import Foundation
import SceneModel
import SceneProtocol
import Synchronization
import Varlink

/// Listens as scened does and answers each method by a script; records what it was asked.
package final class FakeDaemon: Sendable {
    package enum Step: Sendable {
        case send([UInt8])
        /// Hold the answer back until another connection has called this method so many times.
        case awaitCall(String, times: Int = 1)
        /// Hold the answer back until the gate is opened.
        case awaitGate(Gate)
        /// Close without a further word.
        case close
        /// Say nothing more.
        case hang
    }

    package struct Call: Sendable {
        package var method: String
        package var parameters: String
        package var more: Bool
        package var time = ContinuousClock.now
    }

    private struct State {
        var calls: [Call] = []
        var closed = 0
        var connections: Set<Int32> = []
        var streams: Set<Int32> = []
        var script: [String: [[Step]]]
    }

    package let path: String
    private let listener: Int32
    private let state: Mutex<State>
    private let changed = NSCondition()

    /// Each method's scripts, used in order, the last one again and again.
    ///
    /// - Parameter path: where to listen; by default in a directory of its own.
    package init(_ script: [String: [[Step]]], path: String? = nil) throws {
        state = Mutex(State(script: script))
        self.path = try path ?? TemporaryDirectory.make("fake") + "/session"
        unlink(self.path)
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | 0o2000000), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = self.path
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0, listen(listener, 1024) == 0 else { throw TestFailure("cannot listen at \(name)") }
        Thread.detachNewThread { [self] in accept() }
    }

    /// One script for each method.
    package convenience init(_ script: [String: [Step]], path: String? = nil) throws {
        try self.init(script.mapValues { [$0] }, path: path)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: (path as NSString).deletingLastPathComponent)
    }

    /// Nobody can connect any more. `disconnecting`: nor does anybody stay connected.
    package func stop(disconnecting: Bool = false) {
        shutdown(listener, Int32(SHUT_RDWR))
        if disconnecting { disconnect() }
    }

    /// Ends the connections that there are.
    package func disconnect() {
        change { state in
            for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
        }
    }

    /// Ends the connections that have made a ConnectScene call, as a restart would.
    package func endStreams() {
        change { state in
            for connection in state.streams { shutdown(connection, Int32(SHUT_RDWR)) }
        }
    }

    package func calls(of method: String) -> [Call] { state.withLock { $0.calls.filter { $0.method == method } } }

    package func waitForCall(of method: String, times: Int = 1) {
        wait { $0.calls.count { $0.method == method } >= times }
    }

    /// Until a client has closed this many connections.
    package func waitForClose(times: Int = 1) { wait { $0.closed >= times } }

    package func called(_ method: String, times: Int = 1) async {
        await blocking { self.waitForCall(of: method, times: times) }
    }

    package func closed(times: Int = 1) async {
        await blocking { self.waitForClose(times: times) }
    }

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
        change { $0.connections.insert(connection) }
        defer {
            // Also ends it for copies that a child of a test may have inherited.
            shutdown(connection, Int32(SHUT_RDWR))
            change { state in
                state.connections.remove(connection)
                state.streams.remove(connection)
                close(connection)
                state.closed += 1
            }
        }
        while true {
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { return }
            chunk.withUnsafeBytes { server.received(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            while case .call(let call) = server.next() {
                change {
                    if call.method == ConnectScene.name { $0.streams.insert(connection) }
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
            case .awaitGate(let gate): gate.wait()
            case .close: return false
            case .hang: break
            }
        }
        return true
    }
}

extension FakeDaemon.Step {
    package static func reply(_ parameters: some WireRecord, continues: Bool = false) -> Self {
        .send(VarlinkMessage.reply(parameters, continues: continues))
    }

    package static func event(_ event: Event) -> Self {
        reply(ConnectScene.Reply(event: event), continues: true)
    }

    package static func failure(_ failure: Failure) -> Self { .send(failure.message) }

    /// A frame from its JSON text.
    package static func text(_ json: String) -> Self { .send(Array(json.utf8) + [0]) }
}

/// Closed until it is opened, for good.
package final class Gate: Sendable {
    private let condition = NSCondition()
    private let isOpen = Mutex(false)

    package init() {}

    package func open() {
        condition.lock()
        isOpen.withLock { $0 = true }
        condition.broadcast()
        condition.unlock()
    }

    package func wait() {
        condition.lock()
        defer { condition.unlock() }
        while !isOpen.withLock({ $0 }), condition.wait(until: Date() + 20) {}
    }
}
