import CMicroHTTPD

/// One request and its answer. Lives as long as the request does in libmicrohttpd, or longer if somebody still means
/// to answer it.
final class Exchange {
    private(set) var head: RequestHead
    /// nil once the request is over, however it ended.
    private(set) var connection: OpaquePointer?
    private(set) var response: Response?
    /// Whether libmicrohttpd has laid the connection aside until it is resumed.
    private(set) var isHeld = false
    /// Has been handed to whoever answers.
    var isRouted = false
    private(set) var hasHead = false
    /// What has come of a form.
    private(set) var form: [UInt8] = []

    init(target: String, connection: OpaquePointer) {
        head = RequestHead(target: RequestTarget(target))
        self.connection = connection
    }

    var messages: Messages { .preferred(head.single("accept-language")) }

    /// Called when the head is complete.
    func readHead(method: String) {
        hasHead = true
        head.method = method
        guard let connection else { return }
        let headers = Unmanaged.passUnretained(self).toOpaque()
        MHD_get_connection_values(
            connection, .HEADER_KIND,
            { context, _, name, value in
                guard let context, let name else { return .YES }
                let exchange = Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
                let text = value.map { String(cString: $0) } ?? ""
                exchange.head.headers.append((String(cString: name).lowercased(), text))
                return .YES
            }, headers)
    }

    /// libmicrohttpd hands over no more than the head has said, which has been judged by then.
    func receive(_ bytes: UnsafeRawBufferPointer) {
        guard form.count + bytes.count <= RequestHead.formLimit else { return }
        form += bytes
    }

    /// The first answer counts.
    func answer(_ response: Response) {
        guard self.response == nil else { return }
        self.response = response
    }

    func hold() {
        guard let connection, !isHeld else { return }
        isHeld = true
        MHD_suspend_connection(connection)
    }

    func resume() {
        guard let connection, isHeld else { return }
        isHeld = false
        MHD_resume_connection(connection)
    }

    func completed() {
        connection = nil
        isHeld = false
    }
}

extension Response {
    /// Hands the response to libmicrohttpd, which copies it.
    func queue(on connection: OpaquePointer) -> MHD_Result {
        let created = body.withUnsafeBytes {
            MHD_create_response_from_buffer(
                $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
        }
        guard let created else { return .NO }
        defer { MHD_destroy_response(created) }
        for header in headers where MHD_add_response_header(created, header.name, header.value) == .NO {
            return .NO
        }
        return MHD_queue_response(connection, status, created)
    }
}
