import Glibc

/// A path as a socket's address.
struct UnixAddress {
    private var address = sockaddr_un()

    /// Nil where the path is empty, too long, or contains NUL.
    init?(_ path: String) {
        let bytes = Array(path.utf8)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard !bytes.isEmpty, bytes.count < capacity, !bytes.contains(0) else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    }

    /// connect(2)
    func connect(_ socket: Int32) -> Int32 {
        withAddress { Glibc.connect(socket, $0, $1) }
    }

    /// bind(2)
    func bind(_ socket: Int32) -> Int32 {
        withAddress { Glibc.bind(socket, $0, $1) }
    }

    /// A close-on-exec stream socket.
    static func socket(nonBlocking: Bool) throws(SystemError) -> OwnedDescriptor {
        let flags = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | (nonBlocking ? SOCK_NONBLOCK.rawValue : 0)
        return try OwnedDescriptor(Glibc.socket(AF_UNIX, Int32(flags), 0), from: "socket")
    }

    private func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
