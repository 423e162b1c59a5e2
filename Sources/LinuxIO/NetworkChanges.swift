import CLinux
import Glibc

/// Tells when what could not be reached may be reachable: an interface, an address or a route has changed, the machine
/// has woken from suspend, or its wall clock was set. Without netlink or timerfd, that source is silent.
package final class NetworkChanges {
    private var sources: [Source] = []

    package init(loop: EventLoop, _ handler: @escaping () -> Void) {
        add(clinux_network_changes(), loop) {
            Self.drain($0)
            handler()
        }
        let clock = timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
        Self.arm(clock)
        add(clock, loop) {
            var count: UInt64 = 0
            _ = read($0, &count, MemoryLayout<UInt64>.size)
            Self.arm($0)
            handler()
        }
    }

    private func add(_ raw: Int32, _ loop: EventLoop, _ changed: @escaping (Int32) -> Void) {
        guard raw >= 0 else { return }
        let source = Source(raw)
        source.watch = try? loop.watch(raw, .readable) { _ in changed(raw) }
        sources.append(source)
    }

    /// What changed does not matter, nor that some of it was lost (ENOBUFS). The rest keeps the socket readable.
    private static func drain(_ netlink: Int32) {
        withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 8) { buffer in
            for _ in 0..<64 {
                let count = recv(netlink, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                if count <= 0, errno != ENOBUFS { return }
            }
        }
    }

    /// Never expires in practice; read gives ECANCELED once the clock is set or the machine has been suspended
    /// (timerfd_create(2), TFD_TIMER_CANCEL_ON_SET).
    private static func arm(_ clock: Int32) {
        var never = itimerspec()
        never.it_value.tv_sec = Int(Int32.max) * 4
        _ = timerfd_settime(clock, Int32(TFD_TIMER_ABSTIME) | Int32(TFD_TIMER_CANCEL_ON_SET), &never, nil)
    }
}

private final class Source {
    let descriptor: OwnedDescriptor
    var watch: Watch?

    init(_ raw: Int32) {
        descriptor = OwnedDescriptor(raw)
    }

    deinit {
        watch?.cancel()
    }
}
