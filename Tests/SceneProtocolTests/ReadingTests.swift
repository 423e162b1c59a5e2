import SceneModel
import Testing
import Varlink

@testable import SceneProtocol

/// What a server makes of parameters that are not as they have to be.
struct ParameterTests {
    @Test(arguments: [
        ("{}", "app"), (#"{"app":null}"#, "app"), (#"{"app":1}"#, "app"), (#"{"app":"a","sceen":"x"}"#, "sceen"),
        (#"{"app":"a","options":{"force":1}}"#, "options.force"),
        (#"{"app":"a","options":{"timeoutSeconds":1e3}}"#, "options.timeoutSeconds"),
        (#"{"app":"a","options":{"presentation":"popup"}}"#, "options.presentation"),
        (#"{"app":"a","options":{"colour":""}}"#, "options.colour"), (#"{"app":"a","options":true}"#, "options"),
    ])
    func namesTheOneThatIsWrong(_ json: String, _ parameter: String) throws {
        let error = try #require(throws: WireError.self) {
            try LoginIfRequired.Parameters(parameters: JSONElement.parse(json))
        }
        #expect(error.parameter == parameter)
    }

    @Test func noneAtAllAreNamedToo() throws {
        #expect(try #require(throws: WireError.self) { try Login.Parameters(parameters: nil) }.parameter == "app")
        _ = try ListScenes.Parameters(parameters: nil)
    }
}

/// What a client makes of a newer server's events.
struct NewerEventTests {
    private func event(_ json: String) throws -> Event {
        try ConnectScene.Reply(lenient: JSONElement.parse(#"{"event":\#(json)}"#)).event
    }

    @Test func unknownMembersAreIgnored() throws {
        let json = #"{"kind":"locked","at":{"epoch":"e1","sequence":7,"new":[]},"by":{"scene":"s1"}}"#
        #expect(try event(json) == Event(.locked, at: Sample.cursor))
    }

    @Test func anUnknownKindIsToldFromABrokenEvent() throws {
        let unknown = WireError(parameter: "event.kind", problem: .unknownValue)
        #expect(throws: unknown) { try event(#"{"kind":"new","at":{"epoch":"e1","sequence":7}}"#) }
        #expect(throws: WireError(parameter: "event.kind")) { try event(#"{"kind":7}"#) }
    }
}

struct SecretTests {
    @Test func isWrittenAndReadAsAString() throws {
        var writer = JSONWriter()
        Secret([0x61, 0x22, 0xff]).write(to: &writer)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "\"a\\\"\u{fffd}\"")
        #expect(try Secret(wire: JSONElement.parse(#""t\u00e9""#), parameter: "token") == Secret("té"))
        #expect(throws: WireError(parameter: "token")) { try Secret(wire: JSONElement.parse("1"), parameter: "token") }
    }
}
