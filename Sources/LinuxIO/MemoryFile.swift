import CLinux
import Glibc

/// A file in memory that outlives the process if somebody else holds its descriptor (memfd_create(2)), mapped.
///
/// What is written to it is there for whoever maps it next, however this process ends.
package final class MemoryFile {
    package let descriptor: Int32
    package let bytes: UnsafeMutableRawBufferPointer

    /// Makes one, filled with zeros.
    package convenience init(name: String, size: Int) throws(SystemError) {
        let descriptor = clinux_memfd_create(name)
        guard descriptor >= 0 else { throw SystemError("memfd_create") }
        guard ftruncate(descriptor, size) == 0 else {
            let error = SystemError("ftruncate")
            close(descriptor)
            throw error
        }
        try self.init(adopting: descriptor)
    }

    /// Takes over one that was passed; closes it even when it throws.
    package init(adopting descriptor: Int32) throws(SystemError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else {
            close(descriptor)
            throw SystemError(code: EINVAL, call: "adopt memory file")
        }
        let size = Int(status.st_size)
        guard let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), start != MAP_FAILED else {
            let error = SystemError("mmap")
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        bytes = UnsafeMutableRawBufferPointer(start: start, count: size)
    }

    deinit {
        munmap(bytes.baseAddress, bytes.count)
        close(descriptor)
    }
}
