import Glibc
import SceneModel

extension EventLoop {
    /// What CLOCK_BOOTTIME and CLOCK_REALTIME show.
    package static var now: Moment {
        Moment(boot: read(CLOCK_BOOTTIME), wall: Int(read(CLOCK_REALTIME).nanoseconds / 1_000_000_000))
    }

    package static func read(_ clock: clockid_t) -> Instant {
        var time = timespec()
        clock_gettime(clock, &time)
        return Instant(nanoseconds: 0).advanced(bySeconds: time.tv_sec).advanced(byNanoseconds: Int64(time.tv_nsec))
    }

    /// Names this boot of the machine (/proc/sys/kernel/random/boot_id); empty where it cannot be read.
    package static func bootID() -> String {
        withSmallFile("/proc/sys/kernel/random/boot_id") { String(decoding: $0, as: UTF8.self) }
            .filter { !$0.isWhitespace }
    }
}

/// Lends `body` at most the first 4 KiB of a file of /proc; nothing where it cannot be read.
func withSmallFile<Result>(_ path: String, _ body: (UnsafeMutableRawBufferPointer.SubSequence) -> Result) -> Result {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
        let raw = open(path, O_RDONLY | O_CLOEXEC)
        guard raw >= 0 else { return body(buffer.prefix(0)) }
        let file = OwnedDescriptor(raw)
        let count = retryingInterrupted { read(file.raw, buffer.baseAddress, buffer.count) }
        return body(buffer.prefix(max(count, 0)))
    }
}
