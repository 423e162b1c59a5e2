import Testing

@testable import Varlink

extension ServerConnection {
    mutating func received(_ text: String) { Array(text.utf8).withUnsafeBytes { received($0) } }

    /// What `next` gave, as text.
    mutating func took() -> String {
        switch next() {
        case .call(let call): call.method
        case .nothing: "nothing"
        case .close(let reason): "close: \(reason)"
        }
    }
}

func message(_ method: String, padding: Int = 0) -> String {
    #"{"method":"\#(method)","x":"\#(String(repeating: "x", count: padding))"}"# + "\0"
}

struct ServerConnectionTests {
    var connection = ServerConnection()

    @Test mutating func handsOutOneCallAtATime() {
        #expect(connection.took() == "nothing")
        connection.received(message("a") + message("b") + message("c").dropLast())
        #expect(connection.took() == "a")
        #expect(connection.took() == "nothing")
        connection.callEnded()
        #expect(connection.took() == "b")
        connection.callEnded()
        #expect(connection.took() == "nothing")
        connection.received("\0")
        #expect(connection.took() == "c")
    }

    @Test mutating func ownsNothingWhileIdle() {
        connection.received(message("a") + message("b"))
        _ = connection.next()
        #expect(connection.bufferedBytes > 0)
        connection.callEnded()
        _ = connection.next()
        #expect(connection.bufferedBytes == 0)
        connection.callEnded()
        for byte in message("c") { connection.received(String(byte)) }
        #expect(connection.took() == "c")
        #expect(connection.bufferedBytes == 0)
    }

    @Test mutating func aCallIsHeldUntilItIsAnswered() {
        let (first, second) = (message("a", padding: 500), message("b", padding: 300))
        connection.received(first + second)
        #expect(connection.took() == "a")
        #expect(connection.heldBytes == first.count - 1 + second.count)
        connection.callEnded()
        #expect(connection.heldBytes == second.count)
        #expect(connection.took() == "b")
        #expect(connection.heldBytes == second.count - 1)
        connection.markEndless()
        #expect(connection.heldBytes == 0)
    }

    @Test(arguments: [
        "\0", "\0\0", message("a") + "\0", "x\0", "[]\0", "{}\0", #"{"method":"a","method":"a"}"# + "\0",
        "\u{feff}{}\0",
        String(repeating: "[", count: 100_000) + "\0",
    ])
    func closesOnWhatIsNoCall(_ text: String) {
        var connection = ServerConnection()
        connection.received(text)
        if text.hasPrefix(message("a")) {
            #expect(connection.took() == "a")
            connection.callEnded()
        }
        #expect(connection.took().hasPrefix("close"))
        connection.received(message("b"))
        #expect(connection.took().hasPrefix("close"))
        #expect(connection.bufferedBytes == 0)
        #expect(!connection.wantsInput)
    }

    @Test func reasonsHoldNothingOfTheMessage() {
        var connection = ServerConnection()
        connection.received(#"{"method":"a","parameters":{"token":"geheim"}"# + "\0")
        #expect(connection.took() == "close: no JSON: neither a comma nor the end at byte 45")
    }

    @Test(.timeLimit(.minutes(1)), arguments: [1, 7, 65_536, 3_000_000]) func boundsAMessage(_ step: Int) {
        let overhead = message("a").utf8.count - 1
        let largest = message("a", padding: ServerConnection.messageLimit - overhead)
        #expect(feed(largest, by: step) == "a")
        let beyond = message("a", padding: ServerConnection.messageLimit - overhead + 1)
        #expect(feed(beyond, by: step) == "close: message too long")
        let unending = feed(String(repeating: " ", count: 3 * ServerConnection.messageLimit), by: step)
        #expect(unending == "close: message too long" || unending == "close: too much at once")
    }

    /// The first thing that `next` gives but nothing.
    private func feed(_ text: String, by step: Int) -> String {
        var connection = ServerConnection()
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBytes { bytes in
            for start in stride(from: 0, to: bytes.count, by: step) {
                connection.received(UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + step, bytes.count)]))
                let outcome = connection.took()
                if outcome != "nothing" { return outcome }
            }
            return "nothing"
        }
    }
}

struct PipelineTests {
    var connection = ServerConnection()

    @Test mutating func stopsReadingBehindALongCall() {
        connection.received(message("a"))
        _ = connection.next()
        #expect(connection.wantsInput)
        var count = 0
        while connection.wantsInput {
            connection.received(message("b\(count)", padding: 1000))
            count += 1
        }
        #expect(connection.bufferedBytes <= ServerConnection.pipelineLimit + 1100)
        for number in 0..<count {
            connection.callEnded()
            #expect(connection.took() == "b\(number)")
        }
        #expect(connection.wantsInput)
    }

    @Test mutating func readsOnIfALongMessageWaitsBehindACall() {
        connection.received(message("a"))
        _ = connection.next()
        connection.received(String(message("b", padding: 500_000).dropLast()))
        #expect(!connection.wantsInput)
        connection.callEnded()
        #expect(connection.took() == "nothing")
        #expect(connection.wantsInput)
        connection.received("\0")
        #expect(connection.took() == "b")
    }

    @Test mutating func boundsAnOwnerWhoDoesNotHeed() {
        connection.received(message("a"))
        _ = connection.next()
        for _ in 0..<100 { connection.received(message("b", padding: 65_000)) }
        #expect(connection.took() == "close: too much at once")
        #expect(connection.bufferedBytes == 0)
    }

    @Test mutating func nothingComesBehindAStreamWithoutEnd() {
        connection.received(message("a"))
        _ = connection.next()
        connection.markEndless()
        connection.received("{")
        #expect(connection.took() == "nothing")
        #expect(connection.wantsInput)
        connection.received("}\0")
        #expect(connection.took() == "close: a call behind one that does not end")
    }

    @Test mutating func norIsItThereAlready() {
        connection.received(message("a") + message("b"))
        _ = connection.next()
        connection.markEndless()
        #expect(connection.took() == "close: a call behind one that does not end")
    }

    @Test mutating func norAnUnendingMessage() {
        connection.received(message("a"))
        _ = connection.next()
        connection.markEndless()
        connection.received(String(repeating: " ", count: ServerConnection.pipelineLimit + 1))
        #expect(connection.took() == "close: a call behind one that does not end")
    }

    @Test mutating func aStreamMayEndAfterAll() {
        connection.received(message("a"))
        _ = connection.next()
        connection.markEndless()
        connection.callEnded()
        connection.received(message("b"))
        #expect(connection.took() == "b")
    }

    @Test mutating func wordsOutOfPlaceChangeNothing() {
        connection.callEnded()
        connection.markEndless()
        connection.received(message("a") + message("b"))
        connection.callEnded()
        #expect(connection.took() == "a")
        #expect(connection.took() == "nothing")
    }
}
