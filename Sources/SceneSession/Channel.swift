import LinuxIO
import SceneModel
import Varlink

/// A connection to scened that one call after the other uses. Belongs to the library's thread.
final class Channel: @unchecked Sendable {
    let connection: Connection
    private var wire = ClientConnection()
    private var arrived: [Result<VarlinkAnswer, SceneError>] = []
    private var waiting: CheckedContinuation<Result<VarlinkAnswer, SceneError>, Never>?
    /// Takes answers in place of `next`.
    var onAnswer: ((Result<VarlinkAnswer, SceneError>) -> Void)?

    init(_ connection: Connection) {
        self.connection = connection
    }

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
        } else if let waiting {
            self.waiting = nil
            waiting.resume(returning: answer)
        } else {
            arrived.append(answer)
        }
    }

    /// The next answer, or why there will be none. A cancelled task gives the connection up, and the call with it.
    func next(on transport: isolated Transport) async -> Result<VarlinkAnswer, SceneError> {
        await withTaskCancellationHandler {
            // Looks and waits on the loop's thread, whatever this closure runs on.
            await answer(on: transport)
        } onCancel: {
            transport.loop.enqueue { self.cancel() }
        }
    }

    private func answer(on transport: isolated Transport) async -> Result<VarlinkAnswer, SceneError> {
        if !arrived.isEmpty { return arrived.removeFirst() }
        guard connection.isOpen else { return .failure(.connectionLost) }
        return await withCheckedContinuation { continuation in
            if Task.isCancelled {
                continuation.resume(returning: .failure(.cancelled))
            } else {
                waiting = continuation
            }
        }
    }

    private func cancel() {
        guard let waiting else { return }
        self.waiting = nil
        waiting.resume(returning: .failure(.cancelled))
        connection.close()
    }
}
