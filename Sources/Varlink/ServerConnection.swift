/// The server's side of one connection: cuts messages out of what comes in, and hands on one call at a time.
///
/// Pure: the owner passes in what the socket gives, takes what `next` returns, and says when a call is answered.
/// An idle connection owns no memory beside this struct.
package struct ServerConnection {
    package enum Next {
        case call(VarlinkCall)
        /// No complete call is here, or the one before has not ended.
        case nothing
        /// The peer broke the protocol. Final: nothing that it sends counts any more.
        case close(reason: String)
    }

    private enum State {
        /// Between calls. Can transition to: ready, busy, closed.
        case idle
        /// A call came in whole and was read in place. Can transition to: busy, closed.
        case ready(VarlinkCall)
        /// A call is being answered. Can transition to: idle, endless, closed.
        case busy
        /// The call's replies never end; nothing may come behind it. Can transition to: idle, closed.
        case endless
        case closed(String)
    }

    /// A message's most bytes.
    package static let messageLimit = 1 << 20
    /// How much may wait behind a call before reading stops.
    package static let pipelineLimit = 1 << 16

    private var state = State.idle
    private var buffer = MessageBuffer(limit: messageLimit)
    /// Of the call that is being answered.
    private var callBytes = 0

    package init() {}

    /// A connection whose call had been taken, and goes on, before this process had it.
    package static func endless() -> ServerConnection {
        var connection = ServerConnection()
        connection.state = .endless
        return connection
    }

    /// What the peer has sent and no call has taken yet.
    package var bufferedBytes: Int { buffer.count }

    /// Likewise, with the call that is being answered.
    package var heldBytes: Int { callBytes + buffer.count }

    /// False: enough is buffered, leave the rest in the socket.
    package var wantsInput: Bool {
        switch state {
        case .idle, .endless: true
        case .ready, .busy: buffer.count < Self.pipelineLimit
        case .closed: false
        }
    }

    package mutating func received(_ bytes: UnsafeRawBufferPointer) {
        switch state {
        case .closed:
            return
        case .idle where buffer.count == 0:
            receivedWhileEmpty(bytes)
        default:
            buffer.append(bytes)
            checkBacklog()
        }
    }

    package mutating func next() -> Next {
        switch state {
        case .idle:
            takeCall()
        case .endless:
            if buffer.find() != .nothing { close("a call behind one that does not end") }
        case .ready, .busy, .closed:
            break
        }
        switch state {
        case .ready:
            // Moved, not copied.
            var ready = State.busy
            swap(&ready, &state)
            guard case .ready(let call) = consume ready else { return .nothing }
            return .call(call)
        case .closed(let reason):
            return .close(reason: reason)
        case .idle, .busy, .endless:
            return .nothing
        }
    }

    /// The call's last reply is written, or it wanted none. Those behind it follow in order.
    package mutating func callEnded() {
        switch state {
        case .busy, .endless:
            state = .idle
            callBytes = 0
        case .idle, .ready, .closed: break
        }
    }

    /// The call that `next` returned last goes on until the connection closes.
    package mutating func markEndless() {
        guard case .busy = state else { return }
        state = .endless
        callBytes = 0
    }
}

extension ServerConnection {
    /// The usual case, one whole call: it is read where it lies.
    private mutating func receivedWhileEmpty(_ bytes: UnsafeRawBufferPointer) {
        guard let end = MessageBuffer.firstNUL(bytes, from: 0), end <= Self.messageLimit else {
            return buffer.append(bytes)
        }
        let rest = UnsafeRawBufferPointer(rebasing: bytes[(end + 1)...])
        if !rest.isEmpty { buffer.append(rest) }
        accept(Self.read(UnsafeRawBufferPointer(rebasing: bytes[..<end])), bytes: end)
    }

    private mutating func takeCall() {
        switch buffer.find() {
        case .nothing:
            break
        case .tooLong:
            close("message too long")
        case .message(let range):
            let call = buffer.withMessage(range, Self.read)
            buffer.take(range)
            accept(call, bytes: range.count)
        }
    }

    private static func read(_ message: UnsafeRawBufferPointer) -> Result<VarlinkCall, VarlinkProtocolError> {
        guard !message.isEmpty else { return .failure(VarlinkProtocolError("empty message")) }
        return Result { () throws(VarlinkProtocolError) in
            try VarlinkCall(reading: try JSONElement.message(message, limits: JSONLimits()))
        }
    }

    private mutating func accept(_ call: Result<VarlinkCall, VarlinkProtocolError>, bytes: Int) {
        switch call {
        case .success(let call):
            state = .ready(call)
            callBytes = bytes
        case .failure(let error): close(error.reason)
        }
    }

    /// Bounds what comes behind a call that does not end, and what an owner lets in who does not heed `wantsInput`.
    private mutating func checkBacklog() {
        if case .endless = state, buffer.count > Self.pipelineLimit {
            close("a call behind one that does not end")
        } else if buffer.count > 2 * Self.messageLimit {
            close("too much at once")
        }
    }

    private mutating func close(_ reason: String) {
        state = .closed(reason)
        callBytes = 0
        buffer.drop()
    }
}
