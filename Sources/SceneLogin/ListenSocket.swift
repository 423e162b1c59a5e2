import Glibc
import LinuxIO

/// Makes listening sockets on loopback addresses.
enum ListenSocket {
    /// - Parameter port: 0 for any free one.
    static func open(isIPv6: Bool, port: UInt16) throws(SystemError) -> OwnedDescriptor {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let raw = socket(isIPv6 ? AF_INET6 : AF_INET, kind, 0)
        guard raw >= 0 else { throw SystemError("socket") }
        let socket = OwnedDescriptor(raw)
        // A fixed port is wanted again while connections of the last login linger in TIME_WAIT. Two listeners on one
        // port stay impossible.
        if port != 0 { try set(SO_REUSEADDR, of: SOL_SOCKET, on: socket.raw) }
        if isIPv6 { try set(IPV6_V6ONLY, of: Int32(IPPROTO_IPV6), on: socket.raw) }
        try bind(socket.raw, isIPv6: isIPv6, port: port)
        guard listen(socket.raw, SOMAXCONN) == 0 else { throw SystemError("listen") }
        return socket
    }

    /// Whether this machine has the loopback address of IPv6.
    static var hasIPv6: Bool {
        do throws(SystemError) {
            _ = try open(isIPv6: true, port: 0)
            return true
        } catch {
            return error.code == EMFILE || error.code == ENFILE
        }
    }

    private static func set(_ option: Int32, of level: Int32, on socket: Int32) throws(SystemError) {
        var yes: Int32 = 1
        guard setsockopt(socket, level, option, &yes, socklen_t(MemoryLayout<Int32>.size)) == 0 else {
            throw SystemError("setsockopt")
        }
    }

    private static func bind(_ socket: Int32, isIPv6: Bool, port: UInt16) throws(SystemError) {
        let result: Int32
        if isIPv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = in6addr_loopback
            result = call(Glibc.bind, socket, &address)
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
            result = call(Glibc.bind, socket, &address)
        }
        guard result == 0 else { throw SystemError("bind") }
    }

    private static func call<Address>(
        _ function: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32, _ socket: Int32, _ address: inout Address
    ) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(socket, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }

    /// Nil where it is no listening socket of the internet.
    static func isIPv6(_ socket: Int32) -> Bool? {
        guard option(SO_ACCEPTCONN, of: socket) == 1 else { return nil }
        return switch option(SO_DOMAIN, of: socket) {
        case AF_INET: false
        case AF_INET6: true
        default: nil
        }
    }

    private static func option(_ name: Int32, of socket: Int32) -> Int32 {
        var value: Int32 = -1
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(socket, SOL_SOCKET, name, &value, &length) == 0 ? value : -1
    }

    /// The port that a socket is bound to.
    static func port(of socket: Int32) throws(SystemError) -> UInt16 {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
        }
        guard result == 0 else { throw SystemError("getsockname") }
        // The port stands at the same place in both families.
        return withUnsafeBytes(of: &storage) { bytes in
            UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        }
    }
}

extension SystemError {
    var isAddressInUse: Bool { code == EADDRINUSE }
}
