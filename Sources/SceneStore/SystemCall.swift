import Glibc

extension StoreError {
    /// "Cannot open /…/key: Permission denied."
    init(cannot action: String, _ code: Int32 = errno) {
        self.init(reason: "Cannot \(action): \(String(cString: strerror(code))).")
    }
}

/// A descriptor that closes itself.
struct File: ~Copyable {
    let descriptor: Int32

    init(_ path: String, _ flags: Int32, mode: mode_t = 0o600) throws(StoreError) {
        descriptor = open(path, flags | O_CLOEXEC | O_NOFOLLOW, mode)
        if descriptor < 0 { throw StoreError(cannot: "open \(path)") }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    var status: stat {
        var status = stat()
        fstat(descriptor, &status)
        return status
    }
}

/// What stands at a path, itself and not what a link points to; nothing where nothing stands there.
func status(of path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 ? status : nil
}

extension stat {
    var isDirectory: Bool { st_mode & S_IFMT == S_IFDIR }
    var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
    var isOurs: Bool { st_uid == geteuid() }
    func permits(_ bits: mode_t) -> Bool { st_mode & bits != 0 }
}
