import Testing

@testable import Varlink

struct ClientConnectionTests {
    private func answers(_ text: String, by step: Int = .max) throws -> [String] {
        var connection = ClientConnection()
        var seen: [String] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            Array(rest.prefix(step)).withUnsafeBytes { connection.received($0) }
            rest = rest.dropFirst(step)
            while let answer = try connection.next() {
                switch answer {
                case .reply(let parameters, let continues):
                    seen.append("\(parameters?.text ?? "-")\(continues ? " …" : "")")
                case .error(let name, let parameters): seen.append("\(name) \(parameters?.text ?? "-")")
                }
            }
        }
        return seen
    }

    @Test(arguments: [1, 5, .max]) func readsAnswersInOrder(_ step: Int) throws {
        let text =
            #"{"parameters":{"a":1},"continues":true}"# + "\0" + #"{"parameters":null,"continues":false,"new":1}"#
            + "\0{}\0"
            + #"{"error":"a.B","parameters":{"x":"€"}}"# + "\0" + #"{"error":"a.C"}"# + "\0" + #"{"parameters":{"cut"#
        #expect(try answers(text, by: step) == [#"{"a":1} …"#, "-", "-", #"a.B {"x":"€"}"#, "a.C -"])
    }

    @Test(arguments: [
        "\0", "[]\0", "{\0", #"{"error":1}"# + "\0", #"{"continues":1}"# + "\0", #"{"parameters":[]}"# + "\0",
    ])
    func refuses(_ text: String) { #expect(throws: VarlinkProtocolError.self) { try answers(text) } }

    @Test func boundsAMessage() {
        let step = [UInt8](repeating: 0x20, count: 1 << 20)
        var connection = ClientConnection()
        #expect(throws: VarlinkProtocolError("message too long")) {
            for _ in 0...16 {
                step.withUnsafeBytes { connection.received($0) }
                _ = try connection.next()
            }
        }
    }

    @Test func readsWhatAServerWrites() throws {
        var connection = ClientConnection()
        let reply = VarlinkService.GetInfo.Reply(
            vendor: "v", product: "p", version: "1", url: "u", interfaces: ["a.b", "c.d"])
        VarlinkMessage.reply(reply).withUnsafeBytes { connection.received($0) }
        guard case .reply(let parameters, false) = try connection.next() else { return #expect(Bool(false)) }
        #expect(try VarlinkService.GetInfo.Reply(lenient: parameters) == reply)
    }
}
