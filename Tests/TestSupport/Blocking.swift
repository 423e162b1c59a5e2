import Foundation

/// Does what blocks on a thread of its own: those of Swift's concurrency are as few as the machine has cores.
package func blocking<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}

package func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await blocking { Result { try body() } }.get()
}
