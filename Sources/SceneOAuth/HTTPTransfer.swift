import CCurl
import Glibc
import LinuxIO
import SceneModel

/// One request on its way, redirects included. Confined to the loop's thread.
final class HTTPTransfer {
    typealias Completion = (Result<HTTPResponse, HTTPFailure>) -> Void

    let easy: UnsafeMutableRawPointer
    let request: HTTPRequest
    private let body: WipedBytes?
    private var headerList: UnsafeMutablePointer<curl_slist>?
    private var address: WebAddress
    private let deadline: Instant
    private var redirects = 0
    private var headers: [String: String] = [:]
    private var headerBytes = 0
    private var isHeaderWhole = false
    private var isDelimited = false
    private var received: [UInt8] = []
    private var isTooLarge = false
    private var completion: Completion?

    /// Nil where the request cannot be sent as it is.
    init?(_ request: HTTPRequest, certificateFile: String?, completion: @escaping Completion) {
        guard let address = WebAddress(request.url), HTTPTransfer.isSendable(request),
            let easy = curl_easy_init()
        else { return nil }
        self.easy = easy
        self.request = request
        self.address = address
        self.completion = completion
        deadline = EventLoop.now.boot.advanced(bySeconds: min(max(request.timeoutSeconds, 1), 3600))
        body = request.body.map(WipedBytes.init)
        guard setUp(certificateFile) && setAddress() else { return nil }
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(headerList)
    }

    // MARK: Options

    private func setUp(_ certificateFile: String?) -> Bool {
        var steps: [CURLcode] = []
        func number(_ option: CURLoption, _ value: Int) { steps.append(scene_curl_set_number(easy, option, value)) }
        func text(_ option: CURLoption, _ value: String) { steps.append(scene_curl_set_text(easy, option, value)) }

        number(CURLOPT_NOSIGNAL, 1)
        // A name that is still being resolved by a thread must not hold the loop up when its transfer ends.
        number(CURLOPT_QUICK_EXIT, 1)
        number(CURLOPT_FOLLOWLOCATION, 0)
        number(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        number(CURLOPT_SSL_VERIFYPEER, 1)
        number(CURLOPT_SSL_VERIFYHOST, 2)
        number(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        number(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        text(CURLOPT_USERAGENT, "scened")
        if let certificateFile {
            text(CURLOPT_CAINFO, certificateFile)
            text(CURLOPT_CAPATH, "/etc/ssl/certs")
        }
        steps.append(setMethod())
        for (name, value) in request.headers { headerList = curl_slist_append(headerList, "\(name): \(value)") }
        steps.append(scene_curl_set_pointer(easy, CURLOPT_HTTPHEADER, headerList))
        let context = Unmanaged.passUnretained(self).toOpaque()
        steps.append(scene_curl_set_pointer(easy, CURLOPT_PRIVATE, context))
        steps.append(
            scene_curl_set_sinks(
                easy, { HTTPTransfer.from($3)?.tookHeader($0, $1 * $2) ?? 0 },
                { HTTPTransfer.from($3)?.tookBody($0, $1 * $2) ?? 0 }, context))
        return steps.allSatisfy { $0 == CURLE_OK }
    }

    private func setMethod() -> CURLcode {
        guard let body else {
            return request.method == "GET" ? CURLE_OK : scene_curl_set_text(easy, CURLOPT_CUSTOMREQUEST, request.method)
        }
        // libcurl sends a request once more where a connection that was used before ends without an answer. What a POST
        // carries may be spent by then: a refresh token, a device code's turn. So each has a connection of its own, and
        // leaves none behind.
        guard scene_curl_set_number(easy, CURLOPT_FRESH_CONNECT, 1) == CURLE_OK,
            scene_curl_set_number(easy, CURLOPT_FORBID_REUSE, 1) == CURLE_OK,
            scene_curl_set_number(easy, CURLOPT_POST, 1) == CURLE_OK,
            scene_curl_set_number(easy, CURLOPT_POSTFIELDSIZE, body.count) == CURLE_OK
        else { return CURLE_OUT_OF_MEMORY }
        return scene_curl_set_pointer(easy, CURLOPT_POSTFIELDS, body.base)
    }

    private func setAddress() -> Bool {
        let left = max(1, (deadline.nanoseconds - EventLoop.now.boot.nanoseconds) / 1_000_000)
        return scene_curl_set_number(easy, CURLOPT_TIMEOUT_MS, Int(left)) == CURLE_OK
            && scene_curl_set_number(easy, CURLOPT_CONNECTTIMEOUT_MS, min(Int(left), 10_000)) == CURLE_OK
            && scene_curl_set_text(easy, CURLOPT_URL, address.text) == CURLE_OK
            && scene_curl_set_text(easy, CURLOPT_PROTOCOLS_STR, address.isSecure ? "https" : "http") == CURLE_OK
            && scene_curl_set_socket_policy(easy, address.isLoopback) == CURLE_OK
            // The environment's proxy is not asked for what is on this machine.
            && scene_curl_set_text(easy, CURLOPT_PROXY, address.isLoopback ? "" : nil) == CURLE_OK
    }

    private static func isSendable(_ request: HTTPRequest) -> Bool {
        request.headers.allSatisfy { name, value in
            !name.isEmpty && name.utf8.allSatisfy { 0x21...0x7e ~= $0 && $0 != UInt8(ascii: ":") }
                && value.utf8.allSatisfy { 0x20...0x7e ~= $0 }
        }
    }

    // MARK: What arrives

    private static func from(_ context: UnsafeMutableRawPointer?) -> HTTPTransfer? {
        context.map { Unmanaged<HTTPTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The transfer that a handle of libcurl's belongs to.
    static func of(_ easy: UnsafeMutableRawPointer) -> HTTPTransfer? {
        from(scene_curl_private(easy))
    }

    private func tookHeader(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        headerBytes += count
        guard headerBytes <= 64 << 10 else {
            isTooLarge = true
            return 0
        }
        let raw = UnsafeRawBufferPointer(start: bytes, count: count)
        let line = String(decoding: raw, as: UTF8.self)
        if line.hasPrefix("HTTP/") {
            headers = [:]  // an interim answer (RFC 9110, section 15.2) precedes this one
            isHeaderWhole = false
            isDelimited = !line.hasPrefix("HTTP/1")
        } else if line == "\r\n" || line == "\n" {
            isHeaderWhole = true
            isDelimited = isDelimited || headers["content-length"] != nil || headers["transfer-encoding"] != nil
        } else if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...].trimmed
            headers[line[..<colon].lowercased(), default: ""].join(value)
        }
        return count
    }

    private func tookBody(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        guard count <= request.maximumBytes - received.count else {
            isTooLarge = true
            return 0
        }
        received.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
        return count
    }

    // MARK: The end

    /// Whether libcurl has to perform the handle once more, at another address.
    func followsRedirect(after code: CURLcode) -> Bool {
        guard code == CURLE_OK, request.followsRedirects, request.method == "GET", redirects < 5,
            !request.headers.contains(where: { $0.name.lowercased() == "authorization" }),
            let text = scene_curl_redirect(easy), let next = WebAddress(String(cString: text)), address.allows(next)
        else { return false }
        redirects += 1
        address = next
        received = []
        headers = [:]
        headerBytes = 0
        return setAddress()
    }

    func complete(_ code: CURLcode) {
        let status = scene_curl_status(easy)
        if code == CURLE_OK, status > 0, isHeaderWhole {
            complete(
                .success(
                    HTTPResponse(status: status, headers: headers, body: received, isDelimited: isDelimited)))
        } else if code == CURLE_OK {
            complete(.failure(.interrupted(reason: "the answer breaks off")))
        } else {
            complete(.failure(isTooLarge ? .tooLarge : failure(code)))
        }
    }

    func complete(_ result: Result<HTTPResponse, HTTPFailure>) {
        guard let completion else { return }
        self.completion = nil
        completion(result)
    }

    private func failure(_ code: CURLcode) -> HTTPFailure {
        let reason = String(cString: curl_easy_strerror(code))
        if scene_curl_was_sent(easy) {
            return .interrupted(reason: code == CURLE_OPERATION_TIMEDOUT ? "no answer in time" : reason)
        }
        switch code {
        case CURLE_OPERATION_TIMEDOUT: return .timedOut
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            return .tls(reason: reason)
        case CURLE_URL_MALFORMAT: return .badURL
        default: return .unreachable(reason: reason)
        }
    }
}

/// A request's body, for libcurl to read from; wiped at the end.
private final class WipedBytes {
    private let storage: UnsafeMutableRawBufferPointer

    init(_ secret: Secret) {
        storage = .allocate(byteCount: max(secret.count, 1), alignment: 1)
        count = secret.count
        secret.withBytes { storage.copyBytes(from: $0) }
    }

    let count: Int
    var base: UnsafeMutableRawPointer? { storage.baseAddress }

    deinit {
        if let base { explicit_bzero(base, storage.count) }
        storage.deallocate()
    }
}

extension String {
    fileprivate mutating func join(_ more: String) {
        self = isEmpty ? more : self + ", " + more
    }
}
