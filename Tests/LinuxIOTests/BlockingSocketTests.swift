import Glibc
import Testing

@testable import LinuxIO

@Suite(.timeLimit(.minutes(1))) struct BlockingSocketTests {
    @Test func nobodyThereIsTold() throws {
        let directory = try TemporaryDirectory()
        #expect(throws: SystemError(code: ENOENT, call: "connect")) {
            _ = try BlockingSocket.connect(path: directory.path + "/socket").raw
        }
        do {
            let other = try UnixAddress.socket(nonBlocking: false)
            let address = try #require(UnixAddress(directory.path + "/socket"))
            try #require(address.bind(other.raw) == 0)
        }
        #expect(throws: SystemError(code: ECONNREFUSED, call: "connect")) {
            _ = try BlockingSocket.connect(path: directory.path + "/socket").raw
        }
    }

    @Test func aFullBacklogIsWaitedForOnlySoLong() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/socket"
        let listening = try UnixAddress.socket(nonBlocking: false)
        let address = try #require(UnixAddress(path))
        try #require(address.bind(listening.raw) == 0 && listen(listening.raw, 0) == 0)
        let first = OwnedDescriptorBox(try BlockingSocket.connect(path: path).release())
        #expect(throws: SystemError(code: ETIMEDOUT, call: "connect")) {
            _ = try BlockingSocket.connect(path: path, timeoutMilliseconds: 20).raw
        }
        #expect(first.raw >= 0)
    }

    @Test func waitingEnds() throws {
        let (near, far) = try socketPair()
        let ends = (OwnedDescriptorBox(near), OwnedDescriptorBox(far))
        #expect(try !BlockingSocket.waitUntilReadable(near, timeoutMilliseconds: 10))
        #expect(throws: SystemError(code: ETIMEDOUT, call: "poll")) {
            try BlockingSocket.send(Array(repeating: 1, count: 4 << 20), to: near, timeoutMilliseconds: 10)
        }
        #expect(try BlockingSocket.waitUntilReadable(far, timeoutMilliseconds: nil))
        ends.0.close()
        #expect(try ends.1.readAll().count > 0)
        #expect(throws: SystemError(code: EPIPE, call: "send")) {
            try BlockingSocket.send([1], to: far, timeoutMilliseconds: 10)
        }
    }
}
