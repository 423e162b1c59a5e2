import CSystemd
import Glibc
import LinuxIO
import SceneModel

/// A connection to the system bus on the loop, opened again whenever it is lost (sd-bus(3)).
///
/// Nothing waits for the bus: its socket does not block, not even to connect, and what is sent is queued.
package final class SystemBus {
    private static let longestRetry = 30
    /// Messages in one turn of the loop.
    private static let batch = 64

    private let loop: EventLoop
    private var bus: OpaquePointer?
    private var watch: Watch?
    private var timer: LoopTimer?
    private var calls: [UInt64: (BusMessage) -> Void] = [:]
    private var failures = 0

    /// It is open, perhaps again: calls and matches may be sent, and are answered once the bus answers.
    var onOpened: () -> Void = {}
    /// Whatever matches, and, since the bus hands that on, whatever anybody addresses to this connection and looks the
    /// same: the sender is to be looked at.
    var onSignal: (BusMessage) -> Void = { _ in }
    /// No answer comes any more to what was sent.
    var onLost: (_ reason: String) -> Void = { _ in }

    package init(loop: EventLoop) {
        self.loop = loop
    }

    deinit {
        close()
    }

    /// Opens it, and keeps it open. Once.
    func open() {
        timer = nil
        let status = sd_bus_open_system(&bus)
        guard status >= 0, let bus else { return lost(status) }
        let descriptor = sd_bus_get_fd(bus)
        watch = try? loop.watch(descriptor, []) { [unowned self] _ in process() }
        guard descriptor >= 0, watch != nil else { return lost(descriptor < 0 ? descriptor : -EMFILE) }
        onOpened()
        process()
    }

    /// What was answered is of no use: it is tried again, later, from the beginning.
    func reopen() { lost(-EPROTO) }

    /// Subscribes to signals (D-Bus specification, "Match Rules"). Where the bus refuses, the connection ends.
    func match(_ rule: String) {
        guard let bus else { return }
        _ = sd_bus_add_match_async(bus, nil, rule, Self.signal, nil, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Calls a method with at most one argument, a string.
    func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ argument: String? = nil,
        _ answered: @escaping (BusMessage) -> Void
    ) {
        var message: OpaquePointer?
        guard let bus, sd_bus_message_new_method_call(bus, &message, destination, path, interface, member) >= 0 else {
            return
        }
        defer { sd_bus_message_unref(message) }
        if let argument, sd_bus_message_append_basic(message, CChar(UInt8(ascii: "s")), argument) < 0 { return }
        let context = Unmanaged.passUnretained(self).toOpaque()
        var cookie: UInt64 = 0
        guard sd_bus_call_async(bus, nil, message, Self.reply, context, 0) >= 0,
            sd_bus_message_get_cookie(message, &cookie) >= 0
        else { return }
        calls[cookie] = answered
    }

    private static let signal: sd_bus_message_handler_t = { message, context, _ in
        if let bus = from(context), let message { bus.onSignal(BusMessage(message)) }
        return 0
    }

    private static let reply: sd_bus_message_handler_t = { message, context, _ in
        var cookie: UInt64 = 0
        guard let bus = from(context), let message, sd_bus_message_get_reply_cookie(message, &cookie) >= 0 else {
            return 0
        }
        bus.calls.removeValue(forKey: cookie)?(BusMessage(message))
        return 0
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> SystemBus? {
        context.map { Unmanaged<SystemBus>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Handles what has come and writes what waits. sd-bus asks for a time at once where more has come.
    private func process() {
        for _ in 0..<Self.batch {
            guard let bus else { return }
            let status = sd_bus_process(bus, nil)
            if status < 0 { return lost(status) }
            if status == 0 { break }
        }
        guard let bus else { return }
        if sd_bus_is_ready(bus) > 0 { failures = 0 }
        let events = sd_bus_get_events(bus)
        guard events >= 0 else { return lost(events) }
        var interest: Readiness = []
        if events & POLLIN != 0 { interest.insert(.readable) }
        if events & POLLOUT != 0 { interest.insert(.writable) }
        watch?.update(interest)
        arm(bus)
    }

    private func arm(_ bus: OpaquePointer) {
        timer?.cancel()
        timer = nil
        var deadline: UInt64 = .max
        guard sd_bus_get_timeout(bus, &deadline) > 0, deadline != .max else { return }
        // By CLOCK_MONOTONIC, microseconds.
        let now = UInt64(clamping: EventLoop.read(CLOCK_MONOTONIC).nanoseconds / 1000)
        let wait = deadline > now ? min(deadline - now, 3_600_000_000) : 0
        timer = loop.schedule(at: EventLoop.now.boot.advanced(byNanoseconds: Int64(wait) * 1000)) { [unowned self] in
            timer = nil
            process()
        }
    }

    private func lost(_ status: Int32) {
        close()
        let pause = min(1 << min(failures, 5), Self.longestRetry)
        failures += 1
        timer = loop.schedule(at: EventLoop.now.boot.advanced(bySeconds: pause)) { [unowned self] in open() }
        onLost(String(cString: strerror(-status)))
    }

    private func close() {
        watch?.cancel()
        watch = nil
        timer?.cancel()
        timer = nil
        calls = [:]
        bus = sd_bus_close_unref(bus)
    }
}
