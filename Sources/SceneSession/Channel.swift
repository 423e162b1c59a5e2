import LinuxIO
import SceneModel
import Varlink

/// A connection to scened that one call after the other uses. Belongs to the library's thread.
final class Channel: @unchecked Sendable {
    let connection: Connection
    private var wire = ClientConnection()
    private var arrived: [Result<VarlinkAnswer, SceneError>] = []
    private let waiting = Waiters<Result<VarlinkAnswer, SceneError>>()
    /// Takes answers in place of `next`.
    var onAnswer: ((Result<VarlinkAnswer, SceneError>) -> Void)?

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Whether the next answer will be that to the next call.
    var isReusable: Bool { connection.isOpen && arrived.isEmpty }

    func received(_ bytes: UnsafeRawBufferPointer) {
        wire.received(bytes)
        do {
            while let answer = try wire.next() { deliver(.success(answer)) }
        } catch {
            deliver(.failure(.unexpected("\(error)")))
            connection.close()
        }
    }

    func lost() {
        deliver(.failure(.connectionLost))
    }

    private func deliver(_ answer: Result<VarlinkAnswer, SceneError>) {
        if let onAnswer {
            onAnswer(answer)
        } else if waiting.isEmpty {
            arrived.append(answer)
        } else {
            waiting.resume(returning: answer)
        }
    }

    /// The next answer, or why there will be none. A cancelled task gives the connection up, and the call with it.
    func next(on transport: isolated Transport) async -> Result<VarlinkAnswer, SceneError> {
        if !arrived.isEmpty { return arrived.removeFirst() }
        guard connection.isOpen else { return .failure(.connectionLost) }
        if case .value(let answer) = await waiting.wait(on: transport.loop) { return answer }
        connection.close()
        return .failure(.cancelled)
    }
}
