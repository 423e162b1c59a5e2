/// A message from a server.
package enum VarlinkAnswer: Sendable {
    /// Parameters are nil where they are absent, null or `{}`. `continues`: more replies follow.
    case reply(JSONElement?, continues: Bool)
    case error(name: String, parameters: JSONElement?)
}

/// The client's side of one connection: cuts answers out of what comes in, and reads them.
package struct ClientConnection {
    /// Larger than a server's limit: a list may be long, and the user trusts the service.
    package static let messageLimit = 1 << 24

    private static let limits: JSONLimits = {
        var limits = JSONLimits()
        limits.bytes = messageLimit
        return limits
    }()

    private var buffer = MessageBuffer(limit: messageLimit)

    package init() {}

    package mutating func received(_ bytes: UnsafeRawBufferPointer) { buffer.append(bytes) }

    /// The next answer, or nil where none is complete. After an error the connection is of no more use.
    package mutating func next() throws(VarlinkProtocolError) -> VarlinkAnswer? {
        switch buffer.find() {
        case .nothing:
            return nil
        case .tooLong:
            throw VarlinkProtocolError("message too long")
        case .message(let range):
            let answer = try buffer.withMessage(range, Self.read)
            buffer.take(range)
            return answer
        }
    }

    private static func read(_ message: UnsafeRawBufferPointer) throws(VarlinkProtocolError) -> VarlinkAnswer {
        let answer = try JSONElement.message(message, limits: limits)
        let parameters = try answer.parameters()
        guard let error = answer["error"], !error.isNull else {
            return .reply(parameters, continues: try answer.flag("continues"))
        }
        guard let name = error.string else { throw VarlinkProtocolError("`error` is no string") }
        return .error(name: name, parameters: parameters)
    }
}
