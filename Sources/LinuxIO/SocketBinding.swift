import CLinux
import Glibc

/// Why a socket could not be bound.
package enum SocketBindingError: Error, Hashable {
    /// Another instance has the socket.
    case inUse(path: String)
    /// Something that is not a socket of this user is in the way, and stays there.
    case notOurs(path: String)
    /// A socket's path has at most 107 bytes, none of them NUL.
    case unusablePath(String)
    case system(SystemError, path: String)
}

extension SocketBindingError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .inUse(let path): "\(path): another instance is running"
        case .notOurs(let path): "\(path): exists and is not a socket of this user"
        case .unusablePath(let path): "\(path): not usable as a socket's path (at most 107 bytes)"
        case .system(let error, let path): "\(path): \(error)"
        }
    }
}

/// A listening socket at a path, and the lock beside it that keeps a second instance away.
///
/// Whoever holds the lock may remove a socket that nobody answers. The lock's file stays when the lock goes: to remove
/// it would let two instances lock two files of one name.
final class SocketBinding {
    private let path: String
    private let lock: OwnedDescriptor
    private var socket: Int32
    private var identity: (device: dev_t, inode: ino_t)?

    init(path: String, mode: UInt32) throws(SocketBindingError) {
        guard let address = UnixAddress(path) else { throw .unusablePath(path) }
        self.path = path
        lock = try Self.takeLock(path)
        try Self.removeStale(path, address)
        socket = try Self.listen(path, address, mode)
        identity = Self.status(of: path).map { ($0.st_dev, $0.st_ino) }
    }

    deinit {
        if socket >= 0 { close(socket) }
    }

    func takeSocket() -> OwnedDescriptor {
        defer { socket = -1 }
        return OwnedDescriptor(socket)
    }

    /// Unlinks the socket if it is still the one that was bound.
    func remove() {
        guard let identity, let status = Self.status(of: path),
            (status.st_dev, status.st_ino) == (identity.device, identity.inode)
        else { return }
        unlink(path)
        self.identity = nil
    }

    private static func takeLock(_ path: String) throws(SocketBindingError) -> OwnedDescriptor {
        let raw = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard raw >= 0 else { throw .system(SystemError("open lock"), path: path) }
        let lock = OwnedDescriptor(raw)
        guard retryingInterrupted({ clinux_lock(lock.raw) }) == 0 else {
            throw errno == EWOULDBLOCK ? .inUse(path: path) : .system(SystemError("flock"), path: path)
        }
        return lock
    }

    private static func removeStale(_ path: String, _ address: UnixAddress) throws(SocketBindingError) {
        guard let status = status(of: path) else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == geteuid() else { throw .notOurs(path: path) }
        let probe = try unixSocket(path)
        if address.connect(probe.raw) == 0 || errno == EAGAIN { throw .inUse(path: path) }
        guard errno == ECONNREFUSED else { throw .system(SystemError("connect"), path: path) }
        guard unlink(path) == 0 || errno == ENOENT else { throw .system(SystemError("unlink"), path: path) }
    }

    private static func listen(
        _ path: String, _ address: UnixAddress, _ mode: UInt32
    ) throws(SocketBindingError) -> Int32 {
        let socket = try unixSocket(path)
        let previous = umask(0o777 & ~mode)
        let result = address.bind(socket.raw)
        let error = SystemError("bind")
        umask(previous)
        guard result == 0 else { throw .system(error, path: path) }
        guard Glibc.listen(socket.raw, SOMAXCONN) == 0 else {
            let error = SystemError("listen")
            unlink(path)
            throw .system(error, path: path)
        }
        return socket.release()
    }

    private static func unixSocket(_ path: String) throws(SocketBindingError) -> OwnedDescriptor {
        do {
            return try UnixAddress.socket(nonBlocking: true)
        } catch {
            throw .system(error, path: path)
        }
    }

    private static func status(of path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }
}
