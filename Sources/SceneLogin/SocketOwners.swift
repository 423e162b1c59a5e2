import CMicroHTTPD
import Glibc
import LinuxIO

/// Tells whose process holds the other end of a connection within this machine.
final class SocketOwners {
    private let diagnosis: OwnedDescriptor

    init() throws(SystemError) {
        let raw = socket_owner_open()
        guard raw >= 0 else { throw SystemError(code: -raw, call: "socket(NETLINK_SOCK_DIAG)") }
        diagnosis = OwnedDescriptor(raw)
    }

    /// The uid of a process that holds the other end open; nil where there is none any more, or it cannot be told.
    func uid(ofPeer connection: Int32) -> UInt32? {
        var owner = socket_owner()
        guard socket_owner_of_peer(diagnosis.raw, connection, &owner) == 0 else { return nil }
        return owner.established && owner.inode != 0 ? owner.uid : nil
    }
}
