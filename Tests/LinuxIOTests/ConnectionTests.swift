import CLinux
import Glibc
import SceneModel
import Testing

@testable import LinuxIO

@Suite(.timeLimit(.minutes(1))) struct ConnectionTests {
    @Test func bytesGoBothWays() throws {
        let loop = try EventLoop()
        let (connection, far) = try connectedPair(loop)
        var received = ""
        connection.onReceive = { bytes in
            received += text(bytes)
            connection.send(Array("pong".utf8))
            loop.stop()
        }
        try far.write("ping")
        run(loop)
        #expect(received == "ping")
        #expect(text(try far.readSome()) == "pong")
        #expect(connection.unsentBytes == 0)
        connection.close()
        settle(loop)
    }

    /// What is offered is taken whole or left whole: a reader that stops costs nothing.
    @Test func anOfferThatDoesNotFitIsNotKept() throws {
        let loop = try EventLoop()
        let (connection, far) = try connectedPair(loop)
        let frame = [UInt8](repeating: 7, count: 300)
        var taken = 0
        while connection.offer(frame) { taken += 1 }
        #expect(taken > 0 && connection.isFull && connection.unsentBytes == 0 && !connection.offer(frame))
        var drained = 0
        connection.onDrained = { drained += 1 }
        var received: [UInt8] = []
        while drained == 0 {
            received += try far.readSome()
            settle(loop)
        }
        #expect(drained == 1 && !connection.isFull && connection.offer(frame))
        connection.close()
        received += try far.readAll()
        #expect(received == [UInt8](repeating: 7, count: (taken + 1) * 300))
    }

    @Test func aSlowReaderGetsAllInOrder() throws {
        let loop = try EventLoop()
        let (connection, far) = try connectedPair(loop)
        var sent: [UInt8] = []
        for round in 0..<3000 {
            let chunk = (0..<(round % 700)).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ round) }
            connection.send(chunk)
            sent += chunk
        }
        #expect(connection.unsentBytes > 0 && connection.unsentBytes < sent.count)
        var drained = 0
        connection.onDrained = {
            drained += 1
            loop.stop()
        }
        var received: [UInt8] = []
        while connection.unsentBytes > 0 {
            received += try far.readSome()
            settle(loop)
        }
        #expect(drained == 1)
        connection.close()
        received += try far.readAll()
        #expect(received == sent)
        settle(loop)
    }

    @Test func aHalfClosedPeerStillGetsItsReply() throws {
        let loop = try EventLoop()
        let (connection, far) = try connectedPair(loop)
        var events: [String] = []
        connection.onReceive = { events.append(text($0)) }
        connection.onInputEnded = { events.append("end of input") }
        connection.onClosed = { events.append("closed") }
        try far.write("question")
        shutdown(far.raw, Int32(SHUT_WR))
        settle(loop)
        #expect(events == ["question", "end of input"])
        #expect(connection.inputEnded && connection.isOpen)
        connection.send(Array("answer".utf8))
        #expect(text(try far.readSome()) == "answer")
        far.close()
        settle(loop)
        #expect(events == ["question", "end of input", "closed"])
    }

    @Test func whatWasSentBeforeTheEndIsHandedOver() throws {
        let loop = try EventLoop()
        let (connection, far) = try connectedPair(loop)
        var received = 0
        var closed = 0
        connection.onReceive = { bytes in
            received += bytes.count
            connection.send(Array("nobody reads this".utf8))
        }
        connection.onClosed = { closed += 1 }
        let text = String(repeating: "x", count: 150_000)
        try far.write(text)
        far.close()
        settle(loop)
        #expect(received == 150_000)
        #expect(closed == 1)
    }

    @Test func aPausedConnectionEndsWithItsPeer() throws {
        let loop = try EventLoop()
        let (connection, far) = try connectedPair(loop)
        connection.onReceive = { _ in Issue.record("received while paused") }
        connection.onClosed = { loop.stop() }
        connection.pauseReading()
        try far.write("unread")
        settle(loop)
        #expect(connection.isOpen)
        far.close()
        run(loop)
        #expect(!connection.isOpen)
    }

    @Test func readingGoesOnAfterAPause() throws {
        let loop = try EventLoop()
        let (connection, far) = try connectedPair(loop)
        connection.onReceive = { _ in loop.stop() }
        connection.pauseReading()
        try far.write("later")
        settle(loop)
        connection.resumeReading()
        run(loop)
        connection.close()
        settle(loop)
    }

    /// A send that fails must not call back into the sender.
    @Test func aFailedSendIsToldLaterAndOnce() throws {
        let loop = try EventLoop()
        let (connection, far) = try connectedPair(loop)
        var closed = 0
        connection.onClosed = { closed += 1 }
        far.close()
        connection.send([1])
        connection.send([2])
        #expect(closed == 0)
        connection.close()
        connection.close()
        #expect(closed == 0)
        settle(loop)
        #expect(closed == 1)
    }

    @Test func aPeerThatOnlyStopsReadingIsClosed() throws {
        let loop = try EventLoop()
        let (connection, far) = try connectedPair(loop)
        connection.onClosed = { loop.stop() }
        shutdown(far.raw, Int32(SHUT_RD))
        connection.send([1])
        run(loop)
        #expect(!connection.isOpen)
    }

    /// It sends for as long as it is read, but is not read for ever.
    @Test func aPeerThatStopsReadingAndGoesOnSendingIsClosed() throws {
        let loop = try EventLoop()
        let (connection, far) = try connectedPair(loop)
        var received = 0
        connection.onReceive = { bytes in
            received += bytes.count
            // As much again.
            _ = send(far.raw, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            if received > 64 << 20 { connection.close() }
        }
        connection.onClosed = { loop.stop() }
        shutdown(far.raw, Int32(SHUT_RD))
        try far.write(String(repeating: "x", count: 100_000))
        connection.pauseReading()
        connection.send([1])
        connection.resumeReading()
        run(loop)
        #expect(!connection.isOpen && (100_000...1_000_000).contains(received))
    }

    @Test func whatIsKeptForAReaderIsMetered() throws {
        let loop = try EventLoop()
        let meter = ByteMeter(limit: 3 << 20)
        var refusals = 0
        meter.onExcess = { refusals += 1 }
        let (one, oneFar) = try connectedPair(loop)
        let (two, twoFar) = try connectedPair(loop)
        (one.meter, two.meter) = (meter, meter)
        let frame = [UInt8](repeating: 7, count: 1 << 20)
        for _ in 0..<2 { one.send(frame) }
        two.send(frame)
        #expect(meter.count == one.unsentBytes + two.unsentBytes && meter.count > 2 << 20)
        // Too much for both is the end of the one that asks for it.
        two.send(frame)
        #expect(refusals == 1)
        settle(loop)
        #expect(!two.isOpen && one.isOpen && meter.count == one.unsentBytes)
        var received = 0
        while one.unsentBytes > 0 {
            received += try oneFar.readSome().count
            settle(loop)
        }
        #expect(meter.count == 0)
        one.send(frame)
        one.close()
        received += try oneFar.readAll().count
        #expect(meter.count == 0 && received > 2 << 20 && received < 3 << 20)
        twoFar.close()
        settle(loop)
    }

    @Test func closingLetsAllCallbacksGo() throws {
        let loop = try EventLoop()
        weak var released: Connection?
        do {
            let (connection, _) = try connectedPair(loop)
            connection.onReceive = { _ in connection.pauseReading() }
            connection.onDrained = { connection.close() }
            connection.onClosed = { connection.close() }
            released = connection
            connection.close()
        }
        settle(loop)
        #expect(released == nil)
    }

    @Test func closeWhenSentWaitsForTheReader() throws {
        let loop = try EventLoop()
        let (connection, far) = try connectedPair(loop)
        var closed = false
        connection.onClosed = { closed = true }
        connection.onReceive = { _ in Issue.record("received after the end") }
        connection.send(Array(repeating: 7, count: 1 << 20))
        connection.closeWhenSent()
        connection.send([8])
        try far.write("ignored")
        settle(loop)
        #expect(connection.isOpen && !closed)
        var received = 0
        while !closed {
            received += try far.readSome().count
            settle(loop)
        }
        // What was never read makes the kernel report a reset after the last byte.
        while let part = try? far.readSome(), !part.isEmpty { received += part.count }
        #expect(received == 1 << 20)
    }

    /// Both for a socket that is told to refuse them, and for one where the kernel has to drop them.
    @Test(arguments: [false, true]) func passedDescriptorsAreNotKept(_ refused: Bool) throws {
        let loop = try EventLoop()
        let (connection, far) = try connectedPair(loop)
        if refused { _ = clinux_refuse_passed_descriptors(connection.descriptor) }
        var received: [UInt8] = []
        connection.onReceive = { received += $0 }
        var pipe: [Int32] = [-1, -1]
        try #require(Glibc.pipe(&pipe) == 0)
        let sent = clinux_send_descriptor(far.raw, 65, pipe[1])
        close(pipe[1])
        if !refused { #expect(sent == 1) }
        settle(loop)
        #expect(received == (sent == 1 ? [65] : []))
        // The pipe has ended: nobody else, and so not this process, holds its writing end.
        var byte: UInt8 = 0
        #expect(fcntl(pipe[0], F_SETFL, O_NONBLOCK) == 0)
        #expect(read(pipe[0], &byte, 1) == 0)
        close(pipe[0])
        connection.close()
        settle(loop)
    }

    /// MSG_OOB leaves a mark in the stream that must not keep the socket readable for ever.
    @Test func urgentBytesDoNotSpin() throws {
        let loop = try EventLoop()
        let (connection, far) = try connectedPair(loop)
        var byte: UInt8 = 33
        guard send(far.raw, &byte, 1, Int32(MSG_OOB)) == 1 else { return }
        settle(loop)
        var query = pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0)
        #expect(poll(&query, 1, 0) == 0)
        connection.close()
        settle(loop)
    }

    @Test func aConnectionOwnsItsDescriptorEvenIfItCannotBeMade() throws {
        let loop = try EventLoop()
        var pipe: [Int32] = [-1, -1]
        try #require(Glibc.pipe(&pipe) == 0)
        defer { close(pipe[0]) }
        #expect(throws: SystemError.self) {
            try Connection(loop: loop, adopting: OwnedDescriptor(pipe[1]))
        }
        var byte: UInt8 = 0
        #expect(read(pipe[0], &byte, 1) == 0)
    }
}
