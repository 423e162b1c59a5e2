import CLinux
import Glibc
import SceneModel
import Testing

@testable import LinuxIO

@Suite(.timeLimit(.minutes(1))) struct SocketListenerTests {
    private let directory: TemporaryDirectory
    private let loop: EventLoop
    private var path: String { directory.path + "/socket" }

    init() throws {
        directory = try TemporaryDirectory()
        loop = try EventLoop()
    }

    @Test(arguments: [0o600, 0o660, 0o666] as [UInt32]) func theSocketHasItsModeAndGoesWithItsListener(
        _ mode: UInt32
    ) throws {
        let listener = try SocketListener(loop: loop, path: path, mode: mode)
        var status = stat()
        try #require(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == mode)
        #expect(fcntl(listener.descriptor, F_GETFD) & FD_CLOEXEC != 0)
        listener.close()
        listener.close()
        #expect(!exists(path))
    }

    @Test func fiveHundredConnectInOneGo() throws {
        let listener = try SocketListener(loop: loop, path: path, mode: 0o600)
        var connections: [Connection] = []
        var closed = 0
        let total = 500
        listener.onConnection = { connection in
            connections.append(connection)
            connection.onReceive = { connection.send(Array($0)) }
            connection.onClosed = {
                closed += 1
                if closed == total { self.loop.stop() }
            }
        }
        var clients: [OwnedDescriptorBox] = []
        for number in 0..<total {
            let client = OwnedDescriptorBox(try BlockingSocket.connect(path: path).release())
            try client.write("\(number)")
            clients.append(client)
            if number % 50 == 49 { settle(loop) }
        }
        settle(loop)
        #expect(connections.count == total)
        #expect(Set(connections.map(\.id)).count == total)
        #expect(connections.allSatisfy { $0.peer.pid == getpid() && $0.peer.uid == getuid() })
        for (number, client) in clients.enumerated() {
            #expect(text(try client.readSome()) == "\(number)")
            client.close()
        }
        run(loop)
        #expect(closed == total)
        listener.close()
    }

    /// Linux 6.16 refuses them, an older one drops them; either way nobody but their sender has them.
    @Test func passedDescriptorsAreNotLetIn() throws {
        let listener = try SocketListener(loop: loop, path: path, mode: 0o600)
        let client = OwnedDescriptorBox(try BlockingSocket.connect(path: path).release())
        var pipe: [Int32] = [-1, -1]
        try #require(Glibc.pipe(&pipe) == 0)
        _ = clinux_send_descriptor(client.raw, 65, pipe[1])
        close(pipe[1])
        settle(loop)
        var byte: UInt8 = 0
        #expect(fcntl(pipe[0], F_SETFL, O_NONBLOCK) == 0)
        #expect(read(pipe[0], &byte, 1) == 0)
        close(pipe[0])
        client.close()
        settle(loop)
        listener.close()
    }

    @Test func aSecondInstanceIsToldSo() throws {
        let first = try SocketListener(loop: loop, path: path, mode: 0o600)
        let error = #expect(throws: SocketBindingError.inUse(path: path)) {
            try SocketListener(loop: loop, path: path, mode: 0o600)
        }
        #expect(error?.description == "\(path): another instance is running")
        #expect(try connects())
        first.close()
        try SocketListener(loop: loop, path: path, mode: 0o600).close()
    }

    @Test func aSocketThatSomebodyAnswersStaysEvenWithoutALock() throws {
        let other = try UnixAddress.socket(nonBlocking: false)
        let address = try #require(UnixAddress(path))
        try #require(address.bind(other.raw) == 0 && listen(other.raw, 1) == 0)
        #expect(throws: SocketBindingError.inUse(path: path)) {
            try SocketListener(loop: loop, path: path, mode: 0o600)
        }
        #expect(try connects())
    }

    @Test func aStaleSocketIsReplaced() throws {
        do {
            let other = try UnixAddress.socket(nonBlocking: false)
            let address = try #require(UnixAddress(path))
            try #require(address.bind(other.raw) == 0 && listen(other.raw, 1) == 0)
        }
        #expect(exists(path))
        let listener = try SocketListener(loop: loop, path: path, mode: 0o600)
        #expect(try connects())
        listener.close()
    }

    @Test func whatIsNoSocketStays() throws {
        close(open(path, O_CREAT | O_WRONLY, 0o600))
        #expect(throws: SocketBindingError.notOurs(path: path)) {
            try SocketListener(loop: loop, path: path, mode: 0o600)
        }
        #expect(exists(path))
    }

    @Test func theSocketOfASuccessorIsNotUnlinked() throws {
        let listener = try SocketListener(loop: loop, path: path, mode: 0o600)
        unlink(path)
        close(open(path, O_CREAT | O_WRONLY, 0o600))
        listener.close()
        #expect(exists(path))
    }

    @Test(arguments: ["", String(repeating: "x", count: 108), "/tmp/a\0b"]) func unusablePaths(_ path: String) {
        #expect(throws: SocketBindingError.unusablePath(path)) {
            try SocketListener(loop: loop, path: path, mode: 0o600)
        }
    }

    @Test func aMissingDirectoryIsAnError() throws {
        let path = directory.path + "/missing/socket"
        #expect(throws: SocketBindingError.system(SystemError(code: ENOENT, call: "open lock"), path: path)) {
            try SocketListener(loop: loop, path: path, mode: 0o600)
        }
    }

    @Test func anAdoptedSocketWorksAndIsNotUnlinked() throws {
        let listening = try UnixAddress.socket(nonBlocking: false)
        let address = try #require(UnixAddress(path))
        try #require(address.bind(listening.raw) == 0 && listen(listening.raw, 8) == 0)
        let listener = try SocketListener(loop: loop, adopting: listening)
        listener.onConnection = { connection in
            connection.close()
            self.loop.stop()
        }
        let client = try BlockingSocket.connect(path: path)
        run(loop)
        listener.close()
        #expect(exists(path))
        #expect(client.raw >= 0)
    }

    @Test func onlyListeningUnixStreamSocketsAreAdopted() throws {
        let (near, far) = try socketPair()
        let plain = OwnedDescriptorBox(far)
        #expect(throws: SystemError(code: EINVAL, call: "adopt listening socket")) {
            try SocketListener(loop: loop, adopting: OwnedDescriptor(near))
        }
        let inet = OwnedDescriptorBox(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        try #require(listen(inet.raw, 1) == 0)
        #expect(throws: SystemError.self) {
            try SocketListener(loop: loop, adopting: OwnedDescriptor(dup(inet.raw)))
        }
        #expect(plain.raw >= 0)
    }

    /// Clients that come while descriptors are out are refused, the loop sleeps meanwhile, and serves those who come
    /// after.
    @Test func runningOutOfDescriptorsNeitherSpinsNorStarves() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let address = try #require(UnixAddress(directory.path + "/socket"))
            let loop = try EventLoop()
            let listener = try SocketListener(loop: loop, path: directory.path + "/socket", mode: 0o600)
            var exhausted: [(code: Int32, at: Instant)] = []
            var accepted = 0
            listener.onExhaustion = {
                exhausted.append(($0.code, EventLoop.now.boot))
                loop.stop()
            }
            listener.onConnection = { connection in
                accepted += 1
                connection.send([1])
                loop.stop()
            }
            let last = OwnedDescriptorBox(try UnixAddress.socket(nonBlocking: false).release())
            var clients: [OwnedDescriptorBox] = []
            for _ in 0..<40 { clients.append(OwnedDescriptorBox(try UnixAddress.socket(nonBlocking: false).release())) }
            let fill = try fillDescriptors()

            // Whoever is still accepted takes a descriptor that another thread has just let go.
            let busy = EventLoop.read(CLOCK_THREAD_CPUTIME_ID)
            var connected = 0
            while exhausted.count < 2, connected < clients.count {
                try #require(address.connect(clients[connected].raw) == 0)
                connected += 1
                run(loop)
            }
            try #require(exhausted.count == 2)
            #expect(exhausted[0].code == EMFILE && exhausted[1].code == EMFILE)
            #expect(exhausted[1].at >= exhausted[0].at.advanced(byNanoseconds: 90_000_000))
            #expect(EventLoop.read(CLOCK_THREAD_CPUTIME_ID) < busy.advanced(byNanoseconds: 60_000_000))

            for descriptor in fill { close(descriptor) }
            try #require(address.connect(last.raw) == 0)
            let before = accepted
            while accepted == before { run(loop) }
            #expect(try last.readSome() == [1])
            let answers = try clients[..<connected].map { try $0.readSome() }
            #expect(answers.contains([]) && answers.allSatisfy { $0.isEmpty || $0 == [1] })
        }
    }

    private func connects() throws -> Bool {
        try BlockingSocket.connect(path: path).raw >= 0
    }
}

/// Uses up what this process may have.
private func fillDescriptors() throws -> [Int32] {
    var limit = rlimit(rlim_cur: 128, rlim_max: 128)
    try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
    var all: [Int32] = []
    while true {
        let descriptor = dup(0)
        if descriptor < 0 { return all }
        all.append(descriptor)
    }
}
