import CLinux
import Glibc

/// What a descriptor is ready for, or what is asked about it.
package struct Readiness: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let readable = Readiness(rawValue: EPOLLIN.rawValue)
    package static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
    /// Both directions have ended, or the descriptor has failed. Reported unasked.
    package static let hangup = Readiness(rawValue: EPOLLHUP.rawValue)

    init(events: UInt32) {
        let failed = events & EPOLLERR.rawValue != 0
        self.init(rawValue: events & Self.all | (failed ? EPOLLHUP.rawValue : 0))
    }

    private static let all = EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLHUP.rawValue
}

/// The loop's interest in a descriptor, level-triggered. It lasts until `cancel`, even if nobody keeps the watch.
///
/// Cancel before closing the descriptor. The descriptor stays the caller's.
package final class Watch {
    let descriptor: Int32
    /// Goes into epoll's data, so that an event of a closed descriptor is not taken for one of its successor.
    let generation: UInt32
    private weak var loop: EventLoop?
    private var interest: Readiness
    private var handler: ((Readiness) -> Void)?

    init(
        loop: EventLoop, descriptor: Int32, generation: UInt32, interest: Readiness,
        handler: @escaping (Readiness) -> Void
    ) {
        self.loop = loop
        self.descriptor = descriptor
        self.generation = generation
        self.interest = interest
        self.handler = handler
    }

    /// What epoll gives back with each event.
    var data: UInt64 { UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor)) }

    /// Hangups are reported even where `interest` is empty.
    package func update(_ interest: Readiness) {
        guard handler != nil, interest != self.interest else { return }
        self.interest = interest
        loop?.modify(self, interest)
    }

    /// No handler runs after this, even where its event is already taken.
    package func cancel() {
        guard handler != nil else { return }
        handler = nil
        loop?.remove(self)
    }

    /// The same where the descriptor is closed next, and nobody else holds what it stands for: epoll lets it go by itself.
    func cancelClosing() {
        guard handler != nil else { return }
        handler = nil
        loop?.forget(self)
    }

    func ready(_ readiness: Readiness) {
        let wanted = readiness.intersection(interest.union(.hangup))
        guard let handler, !wanted.isEmpty else { return }
        handler(wanted)
    }

    /// The descriptor was closed without `cancel`, and its number is in use again.
    func abandon() {
        handler = nil
    }
}
