import Testing

@testable import Varlink

private enum Echo: WireMethod {
    static let name = "org.example.Echo.Echo"

    struct Parameters: WireRecord {
        var text = "€"
        mutating func fields(_ coder: inout FieldCoder) throws(WireError) { try coder.field("text", &text) }
    }

    typealias Reply = Parameters
}

struct VarlinkMessageTests {
    /// The frame's text, or nil where it does not end in its only NUL.
    static func text(_ frame: [UInt8]) -> String? {
        guard frame.last == 0, !frame.dropLast().contains(0) else { return nil }
        return String(decoding: frame.dropLast(), as: UTF8.self)
    }

    private static let echo = #""method":"org.example.Echo.Echo","parameters":{"text":"€"}"#

    @Test(arguments: [
        (VarlinkMessage.call(Echo.self, .init()), "{\(echo)}"),
        (VarlinkMessage.call(Echo.self, .init(), more: true), "{\(echo),\"more\":true}"),
        (VarlinkMessage.call(Echo.self, .init(), oneway: true), "{\(echo),\"oneway\":true}"),
        (
            VarlinkMessage.call(VarlinkService.GetInfo.self, .init()),
            #"{"method":"org.varlink.service.GetInfo","parameters":{}}"#
        ),
        (VarlinkMessage.reply(Echo.Reply()), #"{"parameters":{"text":"€"}}"#),
        (VarlinkMessage.reply(Empty()), #"{"parameters":{}}"#),
        (VarlinkMessage.reply(Echo.Reply(), continues: true), #"{"parameters":{"text":"€"},"continues":true}"#),
        (VarlinkMessage.reply(Echo.Reply(text: "a\0b")), #"{"parameters":{"text":"a\u0000b"}}"#),
        (VarlinkMessage.error("org.example.Bad"), #"{"error":"org.example.Bad","parameters":{}}"#),
        (
            VarlinkMessage.error("org.example.Bad", Echo.Reply()),
            #"{"error":"org.example.Bad","parameters":{"text":"€"}}"#
        ),
    ])
    func looksSo(_ frame: [UInt8], _ text: String) { #expect(Self.text(frame) == text) }

    @Test(arguments: [
        (VarlinkMessage.interfaceNotFound("a.b"), "InterfaceNotFound", #"{"interface":"a.b"}"#),
        (VarlinkMessage.methodNotFound("a.b.C"), "MethodNotFound", #"{"method":"a.b.C"}"#),
        (VarlinkMessage.methodNotImplemented("a.b.C"), "MethodNotImplemented", #"{"method":"a.b.C"}"#),
        (VarlinkMessage.invalidParameter("options.force"), "InvalidParameter", #"{"parameter":"options.force"}"#),
        (VarlinkMessage.permissionDenied(), "PermissionDenied", "{}"),
        (VarlinkMessage.expectedMore(), "ExpectedMore", "{}"),
    ])
    func standardErrorsLookSo(_ frame: [UInt8], _ name: String, _ parameters: String) {
        #expect(Self.text(frame) == #"{"error":"org.varlink.service.\#(name)","parameters":\#(parameters)}"#)
    }
}

struct VarlinkCallTests {
    private func call(_ json: String) throws -> VarlinkCall { try VarlinkCall(reading: JSONElement.parse(json)) }

    @Test(arguments: ["", #","parameters":null"#, #","parameters":{}"#, #","parameters": { }"#])
    func absentNullAndEmptyParametersAreAlike(_ parameters: String) throws {
        let call = try call(#"{"method":"a.b.C"\#(parameters)}"#)
        #expect(call.method == "a.b.C")
        #expect(call.interface == "a.b")
        #expect(call.parameters == nil)
        #expect(!call.more && !call.oneway && !call.upgrade)
    }

    @Test func readsFlagsAndIgnoresWhatItDoesNotKnow() throws {
        #expect(try call(#"{"new":[{"more":1}],"more":true,"method":"a.b.C","oneway":false}"#).more)
        #expect(try call(#"{"method":"a.b.C","oneway":true}"#).oneway)
        #expect(try call(#"{"method":"a.b.C","upgrade":true}"#).upgrade)
        #expect(try call(#"{"method":"a.b.C","parameters":{"x":1}}"#).parameters?["x"]?.int == 1)
    }

    @Test(arguments: [
        "{}", #"{"method":1}"#, #"{"method":null}"#, #"{"method":"a.b.C","parameters":[]}"#,
        #"{"method":"a.b.C","parameters":"x"}"#,
        #"{"method":"a.b.C","more":1}"#, #"{"method":"a.b.C","more":null}"#, #"{"method":"a.b.C","oneway":"true"}"#,
        #"{"method":"a.b.C","upgrade":{}}"#, #"{"method":"a.b.C","more":true,"oneway":true}"#,
    ])
    func refuses(_ json: String) { #expect(throws: VarlinkProtocolError.self) { try call(json) } }
}
