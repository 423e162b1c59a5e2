import Testing

@testable import Varlink

private enum Colour: String, WireEnum { case red, green }

private struct Inner: WireRecord, Equatable {
    var seconds: Int?
    var colour: Colour?
    var names: [String] = []

    mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
        try coder.field("seconds", &seconds)
        try coder.field("colour", &colour)
        try coder.field("names", &names)
    }
}

private struct Outer: WireRecord, Equatable {
    var name = ""
    var flag: Bool?
    var inner: Inner?
    var ratio = 0.5
    var labels: [String: Int] = [:]
    var any = JSONText()
    var colour = Colour.red

    mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
        try coder.field("name", &name)
        try coder.field("flag", &flag)
        try coder.field("inner", &inner)
        try coder.field("ratio", &ratio)
        try coder.field("labels", &labels)
        try coder.field("any", &any)
        try coder.field("colour", &colour)
    }
}

struct FieldCoderTests {
    private static let full = Outer(
        name: "n", flag: true, inner: Inner(seconds: 3, colour: .green, names: ["a", "b"]), ratio: 2,
        labels: ["b": 2, "a": 1], any: JSONText(text: #"[1, {"x": null}]"#), colour: .green)
    private static let fullJSON =
        #"{"name":"n","flag":true,"inner":{"seconds":3,"colour":"green","names":["a","b"]},"ratio":2.0,"#
        + #""labels":{"a":1,"b":2},"any":[1, {"x": null}],"colour":"green"}"#
    private static let least = #"{"name":"","ratio":0.5,"labels":{},"any":{},"colour":"red"}"#

    private func read(_ json: String) throws -> Outer { try Outer(parameters: JSONElement.parse(json)) }

    @Test func writesAndReadsEachField() throws {
        #expect(Self.full.json == Self.fullJSON)
        #expect(try read(Self.fullJSON) == Self.full)
    }

    @Test func leavesOutWhatIsNil() throws {
        #expect(Outer().json == Self.least)
        #expect(try read(Self.least) == Outer())
    }

    @Test func takesNullForAbsent() throws {
        let json = Self.least.dropLast() + #","flag":null,"inner":null}"#
        #expect(try read(String(json)) == Outer())
    }

    @Test func readsFieldsInAnyOrder() throws {
        let element = try JSONElement.parse(Self.fullJSON)
        let members = try #require(element.members).reversed().map { "\($0.key.json):\($0.value.text)" }
        #expect(try read("{\(members.joined(separator: ","))}") == Self.full)
    }

    @Test func describesItself() {
        #expect(Outer.wireFields.map(\.name) == ["name", "flag", "inner", "ratio", "labels", "any", "colour"])
        #expect(
            Outer.wireFields.map(\.type)
                == ["string", "?bool", "?Inner", "float", "[string]int", "object", "(red, green)"])
        #expect(Inner.wireFields.map(\.type) == ["?int", "?(red, green)", "[]string"])
    }

    @Test(arguments: [
        ("{}", "name", WireError.Problem.missing),
        (#"{"name":null,"ratio":0.5}"#, "name", .missing),
        (#"{"name":1}"#, "name", .wrongType),
        (#"{"name":"","flag":1}"#, "flag", .wrongType),
        (#"{"name":"","flag":"true"}"#, "flag", .wrongType),
        (#"{"name":"","inner":[]}"#, "inner", .wrongType),
        (#"{"name":"","inner":{"names":[]," seconds":1}}"#, "inner. seconds", .unknownMember),
        (#"{"name":"","inner":{"seconds":1.5,"names":[]}}"#, "inner.seconds", .wrongType),
        (#"{"name":"","inner":{"seconds":9223372036854775808,"names":[]}}"#, "inner.seconds", .wrongType),
        (#"{"name":"","inner":{"colour":"blue","names":[]}}"#, "inner.colour", .unknownValue),
        (#"{"name":"","inner":{"names":["a",1]}}"#, "inner.names", .wrongType),
        (#"{"name":"","inner":{}}"#, "inner.names", .missing),
        (#"{"name":"","ratio":1e999}"#, "ratio", .wrongType),
        (#"{"name":"","ratio":1,"labels":{"k":""}}"#, "labels.k", .wrongType),
        (#"{"x":1,"name":"","ratio":1,"labels":{},"any":1,"colour":"red"}"#, "x", .unknownMember),
        (#"{"name":"","ratio":1,"labels":{},"any":1,"colour":"red","x":null}"#, "x", .unknownMember),
    ])
    func namesWhatIsWrong(_ json: String, _ parameter: String, _ problem: WireError.Problem) throws {
        let error = try #require(throws: WireError.self) { try read(json) }
        #expect(error == WireError(parameter: parameter, problem: problem))
    }

    /// More members than a mask of those that were read has bits.
    @Test(arguments: [0, 63, 64, 200]) func findsTheUnknownAmongMany(_ place: Int) throws {
        var members = ["\"name\":\"\"", "\"ratio\":1", "\"labels\":{}", "\"any\":1", "\"colour\":\"red\""]
        for number in 0..<200 { members.insert("\"x\(number)\":1", at: min(place, number)) }
        let error = try #require(throws: WireError.self) { try read("{\(members.joined(separator: ","))}") }
        #expect(error.parameter.hasPrefix("x") && error.problem == .unknownMember)
    }

    @Test func absentParametersAreAnEmptyObject() throws {
        #expect(try #require(throws: WireError.self) { try Outer(parameters: nil) }.parameter == "name")
        _ = try Empty(parameters: nil)
        _ = try Empty(parameters: JSONElement.parse("{}"))
        #expect(throws: WireError(parameter: "x", problem: .unknownMember)) {
            try Empty(parameters: JSONElement.parse(#"{"x":1}"#))
        }
    }
}

struct LenientReadingTests {
    @Test func ignoresWhatANewerPeerAdds() throws {
        let json =
            #"{"new":1,"name":"n","inner":{"colour":"blue","names":[],"new":[{}]},"ratio":1,"labels":{},"#
            + #""any":{},"colour":"red"}"#
        let outer = try Outer(lenient: JSONElement.parse(json))
        #expect(outer.name == "n")
        #expect(outer.inner == Inner())
    }

    /// A guess would be wrong: the caller decides what to make of it.
    @Test func tellsOfAnUnknownValueThatHasToBeThere() throws {
        let json = #"{"name":"n","ratio":1,"labels":{},"any":{},"colour":"blue"}"#
        #expect(throws: WireError(parameter: "colour", problem: .unknownValue)) {
            try Outer(lenient: JSONElement.parse(json))
        }
    }

    @Test func stillWantsTheRightTypes() throws {
        #expect(throws: WireError(parameter: "name")) { try Outer(lenient: JSONElement.parse(#"{"name":1}"#)) }
    }
}

struct JSONTextTests {
    @Test(arguments: ["{}", "[1, 2]", "null", #""a""#, " 1 "]) func passesThrough(_ text: String) throws {
        #expect(JSONText(text: text).json == text)
    }

    @Test(arguments: ["", "{", "{}\0", "{}}", "\0"]) func letsNothingBreakTheMessage(_ text: String) {
        #expect(JSONText(text: text).json == "{}")
    }
}
