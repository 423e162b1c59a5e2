import Testing

@testable import Varlink

/// Streams of calls, good and spoilt, cut anywhere.
struct ServerConnectionMutationTests {
    /// However a stream is cut, the same calls come out of it, in order, and the same end.
    @Test(.timeLimit(.minutes(1)), arguments: 0..<8) func cutsMeanNothing(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var closed = 0
        for _ in 0..<300 {
            var stream = (0..<Int.random(in: 1...6, using: &generator)).flatMap {
                Array(message("org.example.Method\($0)", padding: $0 * 7).utf8)
            }
            if Bool.random(using: &generator) { generator.mutate(&stream) }
            let whole = play(stream, cuttingWith: nil)
            closed += whole.last?.hasPrefix("close") == true ? 1 : 0
            #expect(play(stream, cuttingWith: &generator) == whole)
        }
        #expect(closed > 20)
    }

    private func play(_ stream: [UInt8], cuttingWith generator: UnsafeMutablePointer<SeededGenerator>?) -> [String] {
        var connection = ServerConnection()
        var seen: [String] = []
        var rest = stream[...]
        while !rest.isEmpty {
            let size = generator.map { Int.random(in: 1...min(40, rest.count), using: &$0.pointee) } ?? rest.count
            Array(rest.prefix(size)).withUnsafeBytes { connection.received($0) }
            rest = rest.dropFirst(size)
            drain(&connection, into: &seen)
        }
        return seen
    }

    private func drain(_ connection: inout ServerConnection, into seen: inout [String]) {
        while seen.last?.hasPrefix("close") != true {
            let outcome = connection.took()
            if outcome == "nothing" { return }
            seen.append(outcome)
            connection.callEnded()
        }
    }

    /// Whatever is done to it in whatever order: no trap, and no more memory than allowed.
    @Test(.timeLimit(.minutes(1)), arguments: 0..<8) func anyOrderIsSurvived(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            var connection = ServerConnection()
            var running = false
            for _ in 0..<60 {
                switch Int.random(in: 0..<6, using: &generator) {
                case 0, 1: feed(&connection, &generator)
                case 2: connection.callEnded(); running = false
                case 3 where Int.random(in: 0..<8, using: &generator) == 0: connection.markEndless()
                default:
                    if case .call = connection.next() {
                        #expect(!running)
                        running = true
                    }
                }
                #expect(connection.bufferedBytes <= 2 * ServerConnection.messageLimit)
            }
        }
    }

    private func feed(_ connection: inout ServerConnection, _ generator: inout SeededGenerator) {
        guard connection.wantsInput else { return }
        var bytes = Array(message("org.example.Method", padding: Int.random(in: 0..<99, using: &generator)).utf8)
        if Int.random(in: 0..<10, using: &generator) == 0 { generator.mutate(&bytes) }
        let cut = Int.random(in: 0...bytes.count, using: &generator)
        bytes[..<cut].withUnsafeBytes { connection.received($0) }
        bytes[cut...].withUnsafeBytes { connection.received($0) }
    }
}
