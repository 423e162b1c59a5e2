/// A method call as it came in.
package struct VarlinkCall: Sendable {
    /// No text is made of the method until somebody wants it: most calls are of one that was called just before.
    private let message: JSONElement
    private let name: JSONElement.Member
    private var arguments: JSONElement.Member?
    /// The caller takes any number of replies.
    package var more = false
    /// The caller wants no reply.
    package var oneway = false
    /// The caller wants to leave Varlink after the reply.
    package var upgrade = false

    /// `org.example.Interface.Method`.
    package var method: String { message.value(of: name).string ?? "" }

    /// Whether that is the method, without a copy of its name.
    package func isOf(method: String) -> Bool { message.value(of: name).isString(method) }

    /// Nil where they are absent, null or `{}`: all three say the same.
    package var parameters: JSONElement? { arguments.map { message.value(of: $0) } }

    /// The method's interface; empty where the name has no dot.
    package var interface: String {
        let method = method
        return method.lastIndex(of: ".").map { String(method[..<$0]) } ?? ""
    }

    /// Members that we do not know are ignored, as Varlink has it; those we do know are taken at their word.
    init(reading message: JSONElement) throws(VarlinkProtocolError) {
        var name: JSONElement.Member?
        var place = message.firstMember
        while let member = place {
            if message.isNamed(member, "method") {
                guard message.value(of: member).isString else { break }
                name = member
            } else if message.isNamed(member, "parameters") {
                if try message.value(of: member).asParameters() != nil { arguments = member }
            } else if message.isNamed(member, "more") {
                more = try message.value(of: member).asFlag("more")
            } else if message.isNamed(member, "oneway") {
                oneway = try message.value(of: member).asFlag("oneway")
            } else if message.isNamed(member, "upgrade") {
                upgrade = try message.value(of: member).asFlag("upgrade")
            }
            place = message.member(after: member)
        }
        guard let name else { throw VarlinkProtocolError("no `method`") }
        self.name = name
        self.message = message
        if oneway && more { throw VarlinkProtocolError("`oneway` and `more` in one call") }
    }
}

/// The peer does not speak Varlink; the connection is of no more use. Holds nothing that the peer sent.
package struct VarlinkProtocolError: Error, Hashable, CustomStringConvertible {
    package var reason: String

    init(_ reason: String) {
        self.reason = reason
    }

    package var description: String { reason }
}

extension JSONElement {
    /// A message without its NUL.
    static func message(
        _ bytes: UnsafeRawBufferPointer, limits: JSONLimits
    ) throws(VarlinkProtocolError) -> JSONElement {
        let message: JSONElement
        do {
            message = try parse(bytes, limits: limits)
        } catch {
            throw VarlinkProtocolError("no JSON: \(error)")
        }
        guard message.isObject else { throw VarlinkProtocolError("the message is no object") }
        return message
    }

    /// A message's `parameters`, nil where they say nothing.
    func parameters() throws(VarlinkProtocolError) -> JSONElement? {
        try self["parameters"]?.asParameters()
    }

    func flag(_ name: String) throws(VarlinkProtocolError) -> Bool {
        try self[name]?.asFlag(name) ?? false
    }

    fileprivate func asParameters() throws(VarlinkProtocolError) -> JSONElement? {
        if isNull { return nil }
        guard isObject else { throw VarlinkProtocolError("`parameters` is no object") }
        return memberCount > 0 ? self : nil
    }

    fileprivate func asFlag(_ name: String) throws(VarlinkProtocolError) -> Bool {
        guard let value = bool else { throw VarlinkProtocolError("`\(name)` is no bool") }
        return value
    }
}
