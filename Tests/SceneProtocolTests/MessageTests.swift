import SceneModel
import Testing
import Varlink

@testable import SceneProtocol

/// A message as it stands on the wire, and how our types come to it and back.
struct Pinned: Sendable, CustomTestStringConvertible {
    var name: String
    var json: String
    var write: @Sendable () -> [UInt8]
    /// The message, read into our type and written again.
    var rewrite: @Sendable (JSONElement) throws -> [UInt8]

    var testDescription: String { name }

    static func call<Method: WireMethod>(
        _ method: Method.Type, _ parameters: @autoclosure @escaping @Sendable () -> Method.Parameters,
        more: Bool = false, _ json: String
    ) -> Pinned {
        Pinned(
            name: "call of \(Method.name)",
            json: #"{"method":"\#(Method.name)","parameters":\#(json)\#(more ? #","more":true"# : "")}"#,
            write: { VarlinkMessage.call(method, parameters(), more: more) },
            rewrite: { VarlinkMessage.call(method, try Method.Parameters(parameters: $0["parameters"]), more: more) })
    }

    static func reply<Method: WireMethod>(
        _ method: Method.Type, _ reply: @autoclosure @escaping @Sendable () -> Method.Reply, continues: Bool = false,
        _ json: String
    ) -> Pinned {
        Pinned(
            name: "reply of \(Method.name)",
            json: #"{"parameters":\#(json)\#(continues ? #","continues":true"# : "")}"#,
            write: { VarlinkMessage.reply(reply(), continues: continues) },
            rewrite: { VarlinkMessage.reply(try Method.Reply(lenient: $0["parameters"]), continues: continues) })
    }
}

/// Values that several messages hold, and their JSON.
enum Sample {
    static let cursor = Cursor(epoch: "e1", sequence: 7)
    static let cursorJSON = #"{"epoch":"e1","sequence":7}"#
    static let bare = Account(id: "a1", issuer: "https://i", subject: "s", loginHost: "https://h")
    static let bareJSON = #"{"id":"a1","issuer":"https://i","subject":"s","loginHost":"https://h","state":"active"}"#
    static let full = Account(
        id: "a2", issuer: "https://i", subject: "t", loginHost: "https://h", username: "bo", displayName: "Bø \"B\"",
        email: "b@h", picture: "https://p", state: .loginRequired)
    static let fullJSON =
        #"{"id":"a2","issuer":"https://i","subject":"t","loginHost":"https://h","username":"bo","#
        + #""displayName":"Bø \"B\"","email":"b@h","picture":"https://p","state":"loginRequired"}"#
    static let hostJSON = #"{"url":"https://h","label":"Host","origin":"user","selected":true,"removable":false}"#
    static let host = LoginHost(url: "https://h", label: "Host", origin: .user, selected: true)

    static func made<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
        var value = value
        change(&value)
        return value
    }

    static let event = made(Event(.loggedOut, at: cursor)) {
        $0.account = bare
        $0.reason = "user"
    }
    static let eventJSON = #"{"kind":"loggedOut","at":\#(cursorJSON),"account":\#(bareJSON),"reason":"user"}"#
}

struct MessageTests {
    @Test(arguments: Pinned.sessionCalls + Pinned.sessionReplies + Pinned.events + Pinned.manager)
    func looksSoAndIsReadSo(_ message: Pinned) throws {
        #expect(String(decoding: message.write(), as: UTF8.self) == message.json + "\0")
        let again = try message.rewrite(JSONElement.parse(message.json))
        #expect(String(decoding: again, as: UTF8.self) == message.json + "\0")
    }

    /// Every method's parameters and reply are pinned, if only by name.
    @Test func noneIsMissing() {
        let names = Set((Pinned.sessionCalls + Pinned.sessionReplies + Pinned.events + Pinned.manager).map(\.name))
        for method in Declarations.session.methods + Declarations.manager.methods {
            #expect(names.contains("call of \(method.name)"))
            #expect(names.contains("reply of \(method.name)"))
        }
    }
}
