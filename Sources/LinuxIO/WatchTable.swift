import CLinux
import Glibc

/// The watches of one epoll, found by descriptor.
struct WatchTable: ~Copyable {
    private let epoll: OwnedDescriptor
    private var watches: [Watch?] = []
    private var lastGeneration: UInt32 = 0

    init() throws(SystemError) {
        epoll = try OwnedDescriptor(epoll_create1(Int32(EPOLL_CLOEXEC)), from: "epoll_create1")
    }

    var raw: Int32 { epoll.raw }

    mutating func nextGeneration() -> UInt32 {
        lastGeneration &+= 1
        return lastGeneration
    }

    /// Returns the watch of a descriptor that was closed without `cancel` and whose number is in use again.
    mutating func add(_ watch: Watch, _ interest: Readiness) throws(SystemError) -> Watch? {
        guard clinux_epoll_add(epoll.raw, watch.descriptor, interest.rawValue, watch.data) == 0 else {
            throw SystemError("epoll_ctl")
        }
        let slot = Int(watch.descriptor)
        if slot >= watches.count {
            watches.append(contentsOf: repeatElement(nil, count: slot - watches.count + 1))
        }
        let abandoned = watches[slot]
        watches[slot] = watch
        return abandoned
    }

    func modify(_ watch: Watch, _ interest: Readiness) {
        guard isCurrent(watch) else { return }
        _ = clinux_epoll_modify(epoll.raw, watch.descriptor, interest.rawValue, watch.data)
    }

    mutating func remove(_ watch: Watch) {
        if forget(watch) { _ = clinux_epoll_remove(epoll.raw, watch.descriptor) }
    }

    /// False: it was not here.
    @discardableResult
    mutating func forget(_ watch: Watch) -> Bool {
        guard isCurrent(watch) else { return false }
        watches[Int(watch.descriptor)] = nil
        return true
    }

    /// The watch that an event's data means, if it is still there.
    func find(_ data: UInt64) -> Watch? {
        let slot = Int(UInt32(truncatingIfNeeded: data))
        guard slot < watches.count, let watch = watches[slot], watch.data == data else { return nil }
        return watch
    }

    private func isCurrent(_ watch: Watch) -> Bool {
        let slot = Int(watch.descriptor)
        return slot < watches.count && watches[slot] === watch
    }
}
