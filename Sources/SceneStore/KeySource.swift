import Glibc
import SceneModel

/// Where the sealing key comes from: what the service manager hands over, or a file beside the database.
enum KeySource: String {
    case credential, file

    /// The key that is there already; none where there is neither credential nor file.
    static func existingKey(_ credential: Secret?, in directory: StateDirectory) throws(StoreError) -> SealingKey? {
        if let credential { return try SealingKey(reading: credential, from: "The credential scened.key") }
        guard status(of: directory.keyFile) != nil else { return nil }
        return try keyInFile(of: directory)
    }

    /// Makes a key and its file; only for a database that nothing is sealed in.
    static func makeKey(in directory: StateDirectory) throws(StoreError) -> SealingKey {
        let key = try SealingKey.random()
        let temporary = directory.keyFile + ".new"
        unlink(temporary)
        try write(key, to: temporary)
        guard rename(temporary, directory.keyFile) == 0 else {
            throw StoreError(cannot: "make \(directory.keyFile)")
        }
        try directory.synchronize()
        return key
    }

    static func keyInFile(of directory: StateDirectory) throws(StoreError) -> SealingKey {
        let path = directory.keyFile
        let file = try File(path, O_RDONLY | O_NONBLOCK)
        let status = file.status
        guard status.isRegularFile, status.isOurs else {
            throw StoreError(reason: "\(path) must be a file that belongs to uid \(geteuid()).")
        }
        guard !status.permits(0o077) else {
            throw StoreError(reason: "Others may read the sealing key: run `chmod 600 \(path)`.")
        }
        return try SealingKey(reading: read(file, path), from: path)
    }

    /// A key's longest form is 64 digits; what is longer than the buffer is no key.
    private static func read(_ file: borrowing File, _ path: String) throws(StoreError) -> Secret {
        let descriptor = file.descriptor
        let secret = withUnsafeTemporaryAllocation(byteCount: 128, alignment: 1) { buffer -> Secret? in
            guard let base = buffer.baseAddress else { return nil }
            defer { explicit_bzero(base, buffer.count) }
            let count = Glibc.read(descriptor, base, buffer.count)
            return count < 0 ? nil : Secret(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        guard let secret else { throw StoreError(cannot: "read \(path)") }
        return secret
    }

    private static func write(_ key: SealingKey, to path: String) throws(StoreError) {
        let file = try File(path, O_WRONLY | O_CREAT | O_EXCL)
        let descriptor = file.descriptor
        let count = key.withBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard count == SealingKey.byteCount, fsync(descriptor) == 0 else { throw StoreError(cannot: "write \(path)") }
    }
}
