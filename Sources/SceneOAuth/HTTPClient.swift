import CCurl
import LinuxIO
import SceneModel

/// HTTP on the loop, by libcurl's multi interface; names are resolved on libcurl's threads.
///
/// TLS is verified against the system's certificates and those of `certificateFile`. Plain http goes to loopback
/// addresses only. No cookies, no netrc. Confined to the loop's thread.
package final class HTTPClient {
    let loop: EventLoop
    private let certificateFile: String?
    private let multi: UnsafeMutableRawPointer?
    private let sockets: CurlSockets
    private var transfers: [ObjectIdentifier: HTTPTransfer] = [:]

    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// `certificateFile` is PEM; its certificates are trusted in addition to the system's.
    package init(loop: EventLoop, certificateFile: String?) {
        self.loop = loop
        self.certificateFile = certificateFile
        sockets = CurlSockets(loop: loop)
        multi = HTTPClient.isReady ? curl_multi_init() : nil
        guard let multi else { return }
        sockets.attach(to: multi)
        scene_curl_multi_set_number(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 32)
        scene_curl_multi_set_number(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, 128)
        scene_curl_multi_set_number(multi, CURLMOPT_MAXCONNECTS, 16)
        sockets.onReady = { [weak self] in self?.perform($0, $1) }
    }

    /// Ends what is under way with `cancelled`, and leaves neither a socket nor a timer.
    deinit {
        for transfer in transfers.values {
            if let multi { curl_multi_remove_handle(multi, transfer.easy) }
            transfer.complete(.failure(.cancelled))
        }
        if let multi { curl_multi_cleanup(multi) }
    }

    /// Transfers that are under way.
    var count: Int { transfers.count }

    /// Cancelling the task ends the transfer.
    package func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        try await answer(on: loop, cancelled: .cancelled) { completion in start(request, completion) }
    }

    /// Starts a request; `completion` is called once, from the loop, or at once for a request that cannot be sent.
    /// Returns what cancels it.
    func start(_ request: HTTPRequest, _ completion: @escaping HTTPTransfer.Completion) -> () -> Void {
        assert(loop.isIsolatingCurrentContext() == true)
        guard let multi else {
            completion(.failure(.unreachable(reason: "libcurl cannot start")))
            return {}
        }
        guard let transfer = HTTPTransfer(request, certificateFile: certificateFile, completion: completion) else {
            completion(.failure(.badURL))
            return {}
        }
        guard curl_multi_add_handle(multi, transfer.easy) == CURLM_OK else {
            transfer.complete(.failure(.unreachable(reason: "libcurl cannot start")))
            return {}
        }
        transfers[ObjectIdentifier(transfer)] = transfer
        return { [weak self, weak transfer] in
            guard let self, let transfer else { return }
            self.end(transfer) { $0.complete(.failure(.cancelled)) }
        }
    }

    private func perform(_ socket: Int32, _ mask: Int32) {
        guard let multi else { return }
        var running: Int32 = 0
        curl_multi_socket_action(multi, socket, mask, &running)
        for (transfer, code) in takeDone(multi) {
            // A completion may have cancelled it.
            guard transfers[ObjectIdentifier(transfer)] != nil else { continue }
            if transfer.followsRedirect(after: code) {
                curl_multi_remove_handle(multi, transfer.easy)
                if curl_multi_add_handle(multi, transfer.easy) == CURLM_OK { continue }
            }
            end(transfer) { $0.complete(code) }
        }
    }

    private func takeDone(_ multi: UnsafeMutableRawPointer) -> [(HTTPTransfer, CURLcode)] {
        var done: [(HTTPTransfer, CURLcode)] = []
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
                let transfer = HTTPTransfer.of(easy)
            else { continue }
            done.append((transfer, message.pointee.data.result))
        }
        return done
    }

    private func end(_ transfer: HTTPTransfer, _ completing: (HTTPTransfer) -> Void) {
        guard let multi, transfers.removeValue(forKey: ObjectIdentifier(transfer)) != nil else { return }
        curl_multi_remove_handle(multi, transfer.easy)
        completing(transfer)
    }
}
