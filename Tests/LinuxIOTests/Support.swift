import Glibc
import SceneModel
import Testing

@testable import LinuxIO

/// Runs the loop on this thread until something stops it; ten seconds are a failure.
func run(_ loop: EventLoop, sourceLocation: SourceLocation = #_sourceLocation) {
    let limit = loop.schedule(at: EventLoop.now.boot.advanced(bySeconds: 10)) {
        Issue.record("the loop was not stopped", sourceLocation: sourceLocation)
        loop.stop()
    }
    loop.run()
    limit.cancel()
}

/// Runs the loop for the turns that are needed for all that is ready now.
func settle(_ loop: EventLoop) {
    for _ in 0..<3 {
        loop.schedule(at: Instant(nanoseconds: 0)) { loop.stop() }
        run(loop)
    }
}

/// A loop with a thread of its own.
final class LoopThread {
    let loop: EventLoop
    private var thread = pthread_t()

    init() throws {
        loop = try EventLoop()
        let context = Unmanaged.passRetained(loop).toOpaque()
        pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<EventLoop>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, context)
    }

    func finish() {
        loop.stop()
        pthread_join(thread, nil)
    }
}

func socketPair() throws -> (Int32, Int32) {
    var pair: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    try #require(socketpair(AF_UNIX, type, 0, &pair) == 0)
    return (pair[0], pair[1])
}

/// A connection on the loop, and its other end.
func connectedPair(_ loop: EventLoop) throws -> (Connection, OwnedDescriptorBox) {
    let (near, far) = try socketPair()
    return (try Connection(loop: loop, adopting: OwnedDescriptor(near)), OwnedDescriptorBox(far))
}

/// The test's own end of a connection; blocking.
final class OwnedDescriptorBox {
    private(set) var raw: Int32

    init(_ raw: Int32) { self.raw = raw }

    func close() {
        if raw >= 0 { Glibc.close(raw) }
        raw = -1
    }

    func write(_ text: String) throws {
        try BlockingSocket.send(Array(text.utf8), to: raw, timeoutMilliseconds: 5000)
    }

    /// All that can be read within the time, up to the end.
    func readAll() throws -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let part = try readSome()
            if part.isEmpty { return all }
            all += part
        }
    }

    func readSome() throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: 65536) { buffer, count in
            count = try BlockingSocket.receive(
                from: raw, into: UnsafeMutableRawBufferPointer(buffer), timeoutMilliseconds: 5000)
        }
    }

    deinit { close() }
}

/// An empty directory that goes with its owner.
final class TemporaryDirectory {
    let path: String

    init() throws {
        var template = Array("/tmp/linuxio.XXXXXX".utf8CString)
        path = try template.withUnsafeMutableBufferPointer { buffer in
            let base = try #require(buffer.baseAddress)
            return String(cString: try #require(mkdtemp(base)))
        }
    }

    deinit {
        for name in ["socket", "socket.lock", "file"] { unlink(path + "/" + name) }
        rmdir(path)
    }
}

func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
}

func text(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: Array(bytes), as: UTF8.self)
}
