import CCurl
import LinuxIO
import SceneModel

/// What libcurl's multi interface wants watched and timed, on the loop.
///
/// A separate object because libcurl calls back while its handle is being cleaned up, when the client's own deinit runs.
final class CurlSockets {
    private let loop: EventLoop
    private var watches: [Int32: Watch] = [:]
    private var timer: LoopTimer?
    /// A socket is ready for the mask (CURL_CSELECT_…), or, with socket -1, time has passed.
    var onReady: (_ socket: Int32, _ mask: Int32) -> Void = { _, _ in }

    init(loop: EventLoop) {
        self.loop = loop
    }

    var isIdle: Bool { watches.isEmpty && timer == nil }

    /// Has the handle report here; this object must outlive it.
    func attach(to multi: UnsafeMutableRawPointer) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        scene_curl_multi_set_callbacks(
            multi,
            { _, socket, what, context, _ in
                CurlSockets.from(context)?.watch(socket, what)
                return 0
            },
            { _, milliseconds, context in
                CurlSockets.from(context)?.setTimer(milliseconds)
                return 0
            }, context)
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> CurlSockets? {
        context.map { Unmanaged<CurlSockets>.fromOpaque($0).takeUnretainedValue() }
    }

    private func watch(_ socket: Int32, _ what: Int32) {
        guard what != CURL_POLL_REMOVE else {
            watches.removeValue(forKey: socket)?.cancel()
            return
        }
        var interest: Readiness = []
        if what & CURL_POLL_IN != 0 { interest.insert(.readable) }
        if what & CURL_POLL_OUT != 0 { interest.insert(.writable) }
        if let watch = watches[socket] {
            watch.update(interest)
        } else {
            // Where epoll has no room for the socket, the transfer ends by its time limit.
            watches[socket] = try? loop.watch(socket, interest) { [unowned self] readiness in
                onReady(socket, CurlSockets.mask(readiness))
            }
        }
    }

    private static func mask(_ readiness: Readiness) -> Int32 {
        var mask: Int32 = 0
        if readiness.contains(.readable) { mask |= CURL_CSELECT_IN }
        if readiness.contains(.writable) { mask |= CURL_CSELECT_OUT }
        if readiness.contains(.hangup) { mask |= CURL_CSELECT_IN | CURL_CSELECT_ERR }
        return mask
    }

    private func setTimer(_ milliseconds: Int) {
        timer?.cancel()
        timer = nil
        guard milliseconds >= 0 else { return }
        let wait = Int64(min(milliseconds, 3_600_000)) * 1_000_000
        timer = loop.schedule(at: EventLoop.now.boot.advanced(byNanoseconds: wait)) { [unowned self] in
            timer = nil
            onReady(-1, 0)
        }
    }

    deinit {
        for watch in watches.values { watch.cancel() }
        timer?.cancel()
    }
}
